// A file of contacts with their consents, tried first or for good.
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef } from 'react';
import { issueAt } from '../../api/problem.ts';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Check } from '../../ui/check.tsx';
import { Field } from '../../ui/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useWords } from '../../words/words.tsx';
import { FileRefused, type Import, startImport } from './start-import.ts';
import { useStarted } from './use-started.ts';

export function ImportForm() {
  const words = useWords().contactFiles;
  const { api } = useWorkspace();
  const leaving = useRef(new AbortController());
  useEffect(() => {
    // In development a page is shown twice.
    leaving.current = new AbortController();
    return () => leaving.current.abort();
  }, []);
  const start = useMutation({
    mutationFn: (meant: Import) => startImport(api, meant, leaving.current.signal),
    onSuccess: useStarted(),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const country = String(given.get('country')).trim();
    start.mutate({
      file: given.get('file') as File,
      dryRun: given.get('dryRun') !== null,
      ...(country && { defaultCountry: country }),
    });
  };
  const { error } = start;
  return (
    <Panel title={words.import}>
      <form className="grid gap-3" onSubmit={submit}>
        <Field
          label={words.file}
          name="file"
          type="file"
          accept=".csv,.txt,.ndjson,.jsonl"
          hint={words.fileHint}
          issue={error instanceof FileRefused ? error.message : issueAt(error, 'content')}
          required
        />
        <Field
          label={words.country}
          name="country"
          hint={words.countryHint}
          issue={issueAt(error, 'defaultCountry')}
          maxLength={2}
        />
        <Check label={words.dryRun} name="dryRun" defaultChecked />
        {error && !(error instanceof FileRefused) && (
          <ProblemPanel error={error} fields={['content', 'defaultCountry']} />
        )}
        <Button kind="primary" type="submit" className="justify-self-start" busy={start.isPending}>
          {words.startImport}
        </Button>
        {start.isPending && (
          <p role="status" className="text-quiet">
            {words.uploading}
          </p>
        )}
      </form>
    </Panel>
  );
}
