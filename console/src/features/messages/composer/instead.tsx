// Templates, which may be sent where own words may not: each with what it would cost, or why it would be refused too.
import type { SendMessageRequest, Template } from '@godwit/sdk';
import { useQueries } from '@tanstack/react-query';
import { useWorkspace } from '../../../shell/workspace.tsx';
import { Button } from '../../../ui/button.tsx';
import { useFormats, useWords } from '../../../words/words.tsx';
import { messageOf, type Sendable } from './content.tsx';
import { blanksOf, keyOf } from './templates.ts';

const mostOffered = 5;

type Props = { from: string; to: string; sendable: Sendable; onChoose(templateSid: string): void };

export function Instead({ from, to, sendable, onChoose }: Props) {
  const words = useWords().composer;
  const { money } = useFormats();
  const { api, key } = useWorkspace();
  // What leaves least to be filled in comes first.
  const offered = sendable.templates
    .toSorted((a, b) => blanksOf(a).length - blanksOf(b).length)
    .slice(0, mostOffered);
  const asked = useQueries({
    queries: offered.map((template) => {
      const body = { ...asIfFilled(template, from, sendable), to };
      return {
        queryKey: [...key, 'preflight', body],
        queryFn: () => api.messages.preflight(body),
        staleTime: 0,
      };
    }),
  });
  if (offered.length === 0) return null;
  return (
    <div className="mt-3 grid gap-2" data-instead>
      <p>{words.instead}</p>
      <ul className="grid gap-2">
        {offered.map(({ sid, name, language }, at) => {
          const { accepted, cost, error } = asked[at]!.data ?? {};
          return (
            <li key={sid} className="flex flex-wrap items-center gap-3">
              <Button onClick={() => onChoose(sid)}>{words.chooseTemplate(`${name} (${language})`)}</Button>
              {accepted && cost && <span className="tabular-nums">{money(cost.total)}</span>}
              {accepted === false && <code className="text-quiet">{error?.code}</code>}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** What it says has no part in what it costs: the blanks are filled by their names. */
function asIfFilled(template: Template, from: string, sendable: Sendable) {
  const filled = Object.fromEntries(blanksOf(template).map((blank) => [keyOf(blank), blank.name]));
  return messageOf({ from, template: template.sid, text: '', filled }, sendable) as Omit<
    SendMessageRequest,
    'to'
  >;
}
