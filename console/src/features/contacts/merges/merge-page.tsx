// Making one of two contacts: who the other is, what would come of it, and then doing it.
import type { Contact } from '@godwit/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { issueAt } from '../../../api/problem.ts';
import { CursorList } from '../../../shell/cursor-list.tsx';
import { useWorkspace } from '../../../shell/workspace.tsx';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Field } from '../../../ui/field.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { ProblemPanel } from '../../../ui/problem.tsx';
import { Cell, Row, Table } from '../../../ui/table.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { useFormats, useWords } from '../../../words/words.tsx';
import { ContactLink } from '../contact-link.tsx';
import { Belongings } from './belongings.tsx';
import { Diff } from './diff.tsx';

const route = '/$environment/$account/contacts/$contact/merge' as const;

function useContact(sid: string | undefined) {
  const { api, key } = useWorkspace();
  return useQuery({
    queryKey: [...key, 'contacts', sid],
    queryFn: () => api.contacts.get(sid!),
    enabled: sid !== undefined,
  });
}

export function MergePage() {
  const { contact: sid } = useParams({ from: route });
  const { with: otherSid } = useSearch({ from: route });
  const words = useWords().merges;
  const survivor = useContact(sid);
  const other = useContact(otherSid);
  const failed = [survivor, other].find(({ error }) => error !== null);
  if (failed) return <ProblemPanel error={failed.error} retry={failed.refetch} />;
  if (!survivor.data || (otherSid && !other.data)) return <Waiting />;
  return (
    <div className="grid gap-4">
      <h1 className="wrap-anywhere">
        {words.mergeInto} <ContactLink sid={sid} name={survivor.data.displayName} />
      </h1>
      {other.data ? (
        <Previewed survivor={survivor.data} other={other.data} />
      ) : (
        <Choice survivor={survivor.data} />
      )}
    </div>
  );
}

/** Who the other one is, found by name or number. */
function Choice({ survivor }: { survivor: Contact }) {
  const { merges: words, contacts } = useWords();
  const { api } = useWorkspace();
  const [q, setQ] = useState<string | undefined>();
  return (
    <Panel title={words.choose}>
      <search>
        <form
          className="mb-3 flex max-w-xl items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            setQ(String(new FormData(event.currentTarget).get('q')).trim() || undefined);
          }}
        >
          <div className="flex-1">
            <Field label={contacts.search} name="q" type="search" maxLength={128} />
          </div>
          <Button type="submit">{contacts.find}</Button>
        </form>
      </search>
      <CursorList
        name={['contacts', { q }]}
        load={(page) => api.contacts.list({ q, ...page })}
        none={contacts.none}
      >
        {(found) => <Candidates found={found.filter(({ sid }) => sid !== survivor.sid)} />}
      </CursorList>
    </Panel>
  );
}

function Candidates({ found }: { found: Contact[] }) {
  const { merges: words, contacts } = useWords();
  return (
    <Table columns={[contacts.name, contacts.identifiers, words.choose]}>
      {found.map(({ sid, displayName, identifiers }) => (
        <Row key={sid}>
          <Cell className="max-w-72 wrap-anywhere">{displayName || sid}</Cell>
          <Cell className="wrap-anywhere">{identifiers.map(({ value }) => value).join(', ')}</Cell>
          <Cell>
            <Link from={route} to="." search={{ with: sid }} className={buttonClass()}>
              {words.chooseThis}
            </Link>
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

/** What would come of it, as the service found out by trying. */
function Previewed({ survivor, other }: { survivor: Contact; other: Contact }) {
  const words = useWords().merges;
  const { api, can, here, key } = useWorkspace();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const mergeContactSid = other.sid;
  const merge = useMutation({
    mutationFn: (reason: string) => api.contacts.merge(survivor.sid, { mergeContactSid, reason }),
    onSuccess: async ({ id }) => {
      await navigate({ to: '/$environment/$account/merges/$merge', params: { ...here, merge: id } });
      await queries.invalidateQueries({ queryKey: [...key, 'contacts'] });
    },
  });
  const { data, error, refetch } = useQuery({
    queryKey: [...key, 'contacts', survivor.sid, 'merge-preview', other.sid],
    // Whoever leaves does not try it any more.
    queryFn: ({ signal }) => api.contacts.previewMerge(survivor.sid, { mergeContactSid }, { signal }),
    // A preview of what is being done, or done already, would be refused.
    enabled: merge.isIdle || merge.isError,
    gcTime: 0,
  });
  if (error) return <ProblemPanel error={error} retry={refetch} />;
  if (!data) return <Waiting />;
  return (
    <>
      <Panel title={words.preview}>
        <Diff survivor={survivor} other={other} after={data.survivor} />
        <div className="mt-3">
          <Belongings label={words.wouldMove} of={data.moved} />
        </div>
      </Panel>
      {can('mergeContact') && (
        <DoIt
          until={data.revertibleUntil}
          busy={!merge.isIdle && !merge.isError}
          error={merge.error}
          onDo={merge.mutate}
        />
      )}
    </>
  );
}

type DoItProps = { until: string; busy: boolean; error: unknown; onDo(reason: string): void };

function DoIt({ until, busy, error, onDo }: DoItProps) {
  const words = useWords().merges;
  const { time } = useFormats();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onDo(String(new FormData(event.currentTarget).get('reason')).trim());
  };
  return (
    <Panel title={words.doIt}>
      <form className="grid max-w-xl gap-3" onSubmit={submit}>
        <Field
          label={words.reason}
          name="reason"
          hint={words.revertible(time(until))}
          issue={issueAt(error, 'reason')}
          maxLength={256}
          required
        />
        {error !== null && <ProblemPanel error={error} fields={['reason']} />}
        <div className="flex flex-wrap gap-2">
          <Button kind="primary" type="submit" busy={busy}>
            {words.merge}
          </Button>
          <Link from={route} to="." search={{}} className={buttonClass()}>
            {words.another}
          </Link>
        </div>
      </form>
    </Panel>
  );
}
