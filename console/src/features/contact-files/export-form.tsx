// Contacts into a file: everybody, those of a search, or a segment.
import type { ExportContactsRequest } from '@godwit/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { issueAt } from '../../api/problem.ts';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Choose, Field } from '../../ui/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useWords } from '../../words/words.tsx';
import { useStarted } from './use-started.ts';

export function ExportForm() {
  const { contactFiles: words, contacts } = useWords();
  const { api, can, key } = useWorkspace();
  const segments = useQuery({
    queryKey: [...key, 'segments', 'to-export'],
    queryFn: async () => (await api.segments.list({ limit: 100 })).data,
    enabled: can('listSegments'),
  });
  const start = useMutation({
    mutationFn: (meant: ExportContactsRequest) => api.contactFiles.export(meant),
    onSuccess: useStarted(),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const [segmentSid, q] = [String(given.get('segment')), String(given.get('q')).trim()];
    start.mutate({
      format: given.get('format') === 'ndjson' ? 'ndjson' : 'csv',
      ...(segmentSid && { segmentSid }),
      ...(q && { q }),
    });
  };
  const { error } = start;
  return (
    <Panel title={words.export}>
      <form className="grid gap-3" onSubmit={submit}>
        <Choose
          label={words.format}
          name="format"
          hint={words.formatHint}
          choices={(['csv', 'ndjson'] as const).map((value) => ({ value, label: words.formats[value] }))}
        />
        <Choose
          label={words.segment}
          name="segment"
          issue={issueAt(error, 'segmentSid')}
          choices={[
            { value: '', label: words.everybody },
            ...(segments.data ?? []).map(({ sid, name }) => ({ value: sid, label: name })),
          ]}
        />
        <Field label={contacts.search} name="q" issue={issueAt(error, 'q')} maxLength={128} />
        {error && <ProblemPanel error={error} fields={['segmentSid', 'q']} />}
        <Button kind="primary" type="submit" className="justify-self-start" busy={start.isPending}>
          {words.startExport}
        </Button>
      </form>
    </Panel>
  );
}
