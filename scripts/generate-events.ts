// Writes docs/generated/events.md: every type of event the modules declare. It is kept as a file so that a change of what
// subscribers hear is seen by whoever reviews it.
import { eventTypes } from '../server/src/main/modules.ts';
import { listenersOf } from '../server/src/modules/live/index.ts';
import type { EventType } from '../server/src/platform/events.ts';
import { generated } from './generated-file.ts';

const row = (cells: string[]) => `| ${cells.join(' | ')} |`;

const objectOf = ({ sample }: EventType) => (sample as { object: string }).object;

const scopesOf = ({ name }: EventType) =>
  listenersOf(name)
    .map((scope) => `\`${scope}\``)
    .join(', ');

const byName = [...eventTypes].sort((a, b) => (a.name < b.name ? -1 : 1));

const text = [
  '# Types of events',
  '<!-- Generated from what the modules declare by "npm run generate". -->',
  '`GET …/webhook-event-types` lists the same, each with a sample. The data of an event is the resource as its own operations answer with it, as it was after the event; that of a segment leaves out `contactSids`. Any one of the scopes lets somebody hear of it in `GET …/live`.',
  [
    row(['Type', 'Since', 'Data', 'Heard with', 'When']),
    row(['---', '---', '---', '---', '---']),
    ...byName.map((type) =>
      row([`\`${type.name}\``, type.since, `\`${objectOf(type)}\``, scopesOf(type), type.description]),
    ),
  ].join('\n'),
].join('\n\n');

await generated('docs/generated/events.md', `${text}\n`);
