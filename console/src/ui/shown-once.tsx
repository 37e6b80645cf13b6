// Secrets that nobody can be shown again. They stand in the page alone, and go with it.
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';

type Props = { title: string; secrets: readonly (readonly [name: string, secret: string])[]; onKept(): void };

export function ShownOnce({ title, secrets, onKept }: Props) {
  const words = useWords().shownOnce;
  return (
    <section role="status" className="grid gap-3 rounded-lg border border-warn bg-paper p-4">
      <h2>{title}</h2>
      <p className="text-warn">{words.help}</p>
      <dl className="grid gap-2">
        {secrets.map(([name, secret]) => (
          <div key={name}>
            <dt className="text-sm text-quiet">{name}</dt>
            <dd className="flex flex-wrap items-center gap-2">
              <code data-secret={name}>{secret}</code>
              <CopyButton label={words.copy} text={secret} />
            </dd>
          </div>
        ))}
      </dl>
      <Button className="justify-self-start" onClick={onKept}>
        {words.kept}
      </Button>
    </section>
  );
}
