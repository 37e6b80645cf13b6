// What a merge moves, by kind: identifiers in full, of everything else the names.
import type { ContactBelongings } from '@godwit/sdk';
import { Unfold } from '../../../ui/unfold.tsx';
import { useFormats, useWords } from '../../../words/words.tsx';

/** Kinds that have something, each with its names. */
const kindsOf = ({ identifiers, ...others }: ContactBelongings): [kind: string, names: string[]][] =>
  [
    ['identifiers', identifiers.map(({ value }) => value)] as [string, string[]],
    ...(Object.entries(others) as [string, string[]][]),
  ].filter(([, names]) => names.length > 0);

export function Belongings({ of, label }: { of: ContactBelongings; label: string }) {
  const words = useWords().merges;
  const { number } = useFormats();
  const kinds = kindsOf(of);
  return (
    <div>
      <h3 className="font-semibold">{label}</h3>
      {kinds.length === 0 ? (
        <p className="text-quiet">{words.nothing}</p>
      ) : (
        <ul className="grid gap-1">
          {kinds.map(([kind, names]) => (
            <li key={kind} data-moved={kind}>
              <Unfold
                label={`${words.kinds[kind as keyof typeof words.kinds] ?? kind}: ${number(names.length)}`}
              >
                {() => (
                  <ul>
                    {names.map((name) => (
                      <li key={name}>
                        <code>{name}</code>
                      </li>
                    ))}
                  </ul>
                )}
              </Unfold>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
