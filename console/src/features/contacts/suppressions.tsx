// What stands against writing to somebody: since when, why, and until somebody lifts it.
import type { Contact, Suppression } from '@godwit/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useAct } from '../../shell/act.ts';
import { CursorList } from '../../shell/cursor-list.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Choose } from '../../ui/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { SureButton } from '../../ui/sure-button.tsx';
import { useFormats, useWords } from '../../words/words.tsx';

export function Suppressions({ contact: { sid, status } }: { contact: Contact }) {
  const words = useWords().contacts;
  const { api, can } = useWorkspace();
  if (!can('listContactSuppressions')) return null;
  return (
    <Panel title={words.suppressions}>
      <CursorList
        name={['contacts', sid, 'suppressions']}
        load={(page) => api.suppressions.listForContact(sid, page)}
        none={words.noSuppression}
        untabled
      >
        {(all) => (
          <ul className="grid gap-2">
            {all.map((one) => (
              <One key={one.sid} one={one} />
            ))}
          </ul>
        )}
      </CursorList>
      {status === 'ACTIVE' && can('createContactSuppression') && <Suppress sid={sid} />}
    </Panel>
  );
}

function One({ one }: { one: Suppression }) {
  const words = useWords().contacts;
  const { time } = useFormats();
  return (
    <li
      data-suppression={one.active ? 'active' : 'over'}
      className="flex flex-wrap items-center gap-x-3 gap-y-1"
    >
      <span className={one.active ? 'text-bad' : 'text-quiet'}>
        {words.scopes[one.scope as keyof typeof words.scopes] ?? one.scope}
      </span>
      <code>{one.reason}</code>
      <span className="text-quiet">
        {time(one.createdAt)} {one.source}
        {one.liftedAt && ` – ${time(one.liftedAt)} ${one.liftReason ?? ''}`}
      </span>
      {one.active && <Lift contactSid={one.contactSid} sid={one.sid} />}
    </li>
  );
}

type LiftProps = { contactSid: string; sid: string; onDone?(): void };

/** For whoever may lift it. */
export function Lift({ contactSid, sid, onDone }: LiftProps) {
  const words = useWords().contacts;
  const { api, can } = useWorkspace();
  const lift = useAct('contacts', () => api.suppressions.deleteForContact(contactSid, sid), onDone);
  if (!can('deleteContactSuppression')) return null;
  return (
    <>
      <SureButton
        label={words.lift}
        sure={words.liftSurely}
        busy={lift.isPending}
        onSure={() => lift.mutate()}
      />
      {lift.error && <ProblemPanel error={lift.error} />}
    </>
  );
}

function Suppress({ sid }: { sid: string }) {
  const words = useWords().contacts;
  const { api, key } = useWorkspace();
  const queries = useQueryClient();
  const suppress = useMutation({
    mutationFn: (scope: string) =>
      api.suppressions.createForContact(sid, {
        reason: 'CUSTOMER_OPT_OUT',
        scope,
        source: 'console',
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: [...key, 'contacts'] }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    suppress.mutate(String(new FormData(event.currentTarget).get('scope')));
  };
  return (
    <form className="mt-3 flex flex-wrap items-end gap-2" onSubmit={submit}>
      <Choose
        label={words.noMore}
        name="scope"
        choices={(['MARKETING', 'ALL'] as const).map((value) => ({ value, label: words.scopes[value] }))}
      />
      <Button type="submit" busy={suppress.isPending}>
        {words.suppress}
      </Button>
      {suppress.error && <ProblemPanel error={suppress.error} />}
    </form>
  );
}
