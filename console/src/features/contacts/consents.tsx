// What somebody agreed to, by purpose; the record of it, which only grows; and a new entry.
import type { Consent, Contact, CreateContactConsentRequest } from '@godwit/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { issueAt } from '../../api/problem.ts';
import { CursorList } from '../../shell/cursor-list.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Choose, Field } from '../../ui/field.tsx';
import { FormEnd } from '../../ui/form-end.tsx';
import { Json } from '../../ui/json.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { Unfold } from '../../ui/unfold.tsx';
import { useFormats, useWords } from '../../words/words.tsx';
import { ConsentStatus } from './consent-status.tsx';
import { purposes } from './purposes.ts';

export function Consents({ contact }: { contact: Contact }) {
  const words = useWords().contacts;
  const { api, can } = useWorkspace();
  const [isRecording, setRecording] = useState(false);
  const record = can('createContactConsent') && contact.status === 'ACTIVE' && !isRecording && (
    <Button onClick={() => setRecording(true)}>{words.record}</Button>
  );
  return (
    <Panel title={words.consent} aside={record}>
      <ul className="mb-3 flex flex-wrap gap-x-6 gap-y-1">
        {purposes.map((purpose) => (
          <li key={purpose} data-purpose={purpose}>
            {words.purposes[purpose]}: <ConsentStatus status={contact.consent[purpose].status} />
          </li>
        ))}
      </ul>
      {isRecording && <NewConsent sid={contact.sid} onDone={() => setRecording(false)} />}
      {can('listContactConsents') && (
        <CursorList
          name={['contacts', contact.sid, 'consents']}
          load={(page) => api.consent.list(contact.sid, page)}
          none={words.noConsent}
        >
          {(consents) => <Rows consents={consents} />}
        </CursorList>
      )}
    </Panel>
  );
}

function Rows({ consents }: { consents: Consent[] }) {
  const words = useWords().contacts;
  const { time } = useFormats();
  return (
    <Table columns={[words.when, words.purpose, words.status, words.source, words.evidence]}>
      {consents.map(({ sid, createdAt, purpose, status, source, ...rest }) => (
        <Row key={sid}>
          <Cell className="whitespace-nowrap">{time(createdAt)}</Cell>
          <Cell>{words.purposes[purpose as keyof typeof words.purposes] ?? purpose}</Cell>
          <Cell>
            <ConsentStatus status={status} />
          </Cell>
          <Cell>{source}</Cell>
          <Cell>
            <Unfold label={sid}>{() => <Json value={rest} />}</Unfold>
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

type NewProps = {
  sid: string;
  /** What is asked about first. */
  purpose?: string;
  onDone(): void;
  /** As `onDone`, where nothing is given. */
  onCancel?(): void;
};

export function NewConsent({ sid, purpose, onDone, onCancel = onDone }: NewProps) {
  const words = useWords().contacts;
  const { api, key } = useWorkspace();
  const queries = useQueryClient();
  const record = useMutation({
    mutationFn: (meant: CreateContactConsentRequest) => api.consent.create(sid, meant),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: [...key, 'contacts'] });
      onDone();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const wording = String(given.get('wording')).trim();
    record.mutate({
      purpose: String(given.get('purpose')),
      status: String(given.get('status')),
      source: 'DASHBOARD',
      ...(wording && { evidence: { wording } }),
    });
  };
  const { error } = record;
  return (
    <form className="mb-3 grid max-w-xl gap-3" onSubmit={submit}>
      <Choose
        label={words.purpose}
        name="purpose"
        defaultValue={purpose}
        choices={purposes.map((value) => ({ value, label: words.purposes[value] }))}
      />
      <Choose
        label={words.status}
        name="status"
        issue={issueAt(error, 'status')}
        choices={(['OPTED_IN', 'OPTED_OUT', 'REVOKED'] as const).map((value) => ({
          value,
          label: words.statuses[value],
        }))}
      />
      <Field
        label={words.wording}
        name="wording"
        hint={words.wordingHint}
        issue={issueAt(error, 'evidence.wording')}
      />
      {error && <ProblemPanel error={error} fields={['status', 'evidence.wording']} />}
      <FormEnd submit={words.recordIt} cancel={words.cancel} busy={record.isPending} onCancel={onCancel} />
    </form>
  );
}
