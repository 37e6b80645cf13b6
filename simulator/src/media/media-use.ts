// Media inside messages: that an id is known to the number, and that the file suits the message.
import { GraphError } from '../errors.ts';
import type { Wire } from '../http/shape.ts';
import type { Failure, Sending } from '../messages/sending.ts';
import type { Link } from './link-media.ts';
import { kindOfMime, lifeMs } from './media-types.ts';

type Used = { kind: string; id?: string; link?: string };

const kinds = ['image', 'video', 'audio', 'document', 'sticker'];

/** Every media object of a message: its own, its header's, its cards'. */
function mediaIn(type: string, body: Wire): Used[] {
  if (kinds.includes(type)) return [{ kind: type, ...body[type] }];
  const inHeader = (header: Wire): Used[] =>
    header && kinds.includes(header.type) ? [{ kind: header.type, ...header[header.type] }] : [];
  if (type === 'interactive') {
    const { header, action } = body.interactive;
    return [header, ...(action.cards ?? []).map((card: Wire) => card.header)].flatMap(inHeader);
  }
  if (type !== 'template') return [];
  const components: Wire[] = body.template.components ?? [];
  const cards = components.flatMap(({ cards: all = [] }) => all.flatMap((card: Wire) => card.components));
  return [...components, ...cards].flatMap(({ parameters = [] }) => parameters.flatMap(inHeader));
}

/** The links a message is made of. */
export const linksIn = ({ type, body }: Sending): Link[] =>
  mediaIn(type, body).flatMap(({ kind, link }) => (link === undefined ? [] : [{ url: link, kind }]));

/** An id that is not this number's is refused at once. */
export function checkMediaOf({ simulation, number, type, body }: Sending): void {
  for (const { id } of mediaIn(type, body)) {
    if (id === undefined) continue;
    if (simulation.world.media.get(id)?.phoneNumberId !== number.id)
      throw new GraphError(131009, `There is no media ${id} for this phone number.`);
  }
}

/** One whose life is over, or whose kind does not suit, shows only when the message is made. */
export function mediaFailure({ simulation, type, body }: Sending): Failure | null {
  const nowMs = simulation.timeline.nowMs();
  for (const { kind, id, link } of mediaIn(type, body)) {
    if (link !== undefined && new URL(link).hostname.endsWith('.invalid'))
      return { code: 131053, details: 'The link could not be fetched.' };
    const media = id === undefined ? undefined : simulation.world.media.get(id);
    if (!media) continue;
    if (nowMs > media.createdMs + lifeMs(media))
      return { code: 131053, details: 'The media id has expired.' };
    if (kind !== kindOfMime(media.mimeType))
      return { code: 131053, details: `${media.mimeType} cannot be sent as ${kind}.` };
  }
  return null;
}
