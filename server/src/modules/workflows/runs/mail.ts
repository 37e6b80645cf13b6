// What a run has been sent and has not looked at: events it listens to, and answers to requests it made.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { Input } from '../interpreter/state.ts';

type Kind = 'event' | 'result';
export type Mail = { runSid: string; number: string; kind: Kind; type: string | null; input: Input };

/** `number` puts it in order: that of the event, or of the step that asked. */
export type NewMail = {
  runSid: string;
  number: string | number;
  kind: Kind;
  eventSid: string | null;
  type: string | null;
  data: unknown;
};

/** Keeps mail for runs whose rows the caller holds; what comes again is known already. */
export async function storeMail(t: TenantTx, mail: readonly NewMail[]): Promise<void> {
  if (mail.length === 0) return;
  const of = <T>(pick: (one: NewMail) => T) => mail.map(pick);
  await t.run(sql`
    insert into workflow_mail (account_sid, livemode, run_sid, number, kind, event_sid, type, data, created_at)
    select ${t.accountSid}, ${t.livemode}, item.run_sid, item.number, item.kind, item.event_sid, item.type, item.data::json,
      ${t.now}
      from unnest(${of(({ runSid }) => runSid)}::text[], ${of(({ number }) => number)}::bigint[],
        ${of(({ kind }) => kind)}::text[], ${of(({ eventSid }) => eventSid)}::text[], ${of(({ type }) => type)}::text[],
        ${of(({ data }) => JSON.stringify(data))}::text[]) as item (run_sid, number, kind, event_sid, type, data)
    on conflict do nothing`);
}

type Row = Omit<Mail, 'input'> & { eventSid: string | null; data: object };

/** The mail of these runs, in the order it came. */
export async function readMail(t: TenantTx, runSids: string[]): Promise<Map<string, Mail[]>> {
  const rows = await t.many<Row>(sql`
    select run_sid as "runSid", number, kind, event_sid as "eventSid", type, data from workflow_mail
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and run_sid = any (${runSids}::text[])
     order by run_sid, kind, number`);
  const mail = rows.map(({ eventSid, data, ...row }): Mail => {
    if (row.kind === 'event') {
      return { ...row, input: { kind: 'event', event: { sid: eventSid!, type: row.type!, data } } };
    }
    return { ...row, input: { kind: 'result', position: Number(row.number), ...data } };
  });
  return Map.groupBy(mail, ({ runSid }) => runSid);
}

/** It was looked at, and is not needed again. */
export async function dropMail(t: TenantTx, mail: Mail[]): Promise<void> {
  if (mail.length === 0) return;
  await t.run(sql`
    delete from workflow_mail m
     using unnest(${mail.map(({ runSid }) => runSid)}::text[], ${mail.map(({ kind }) => kind)}::text[],
       ${mail.map(({ number }) => number)}::bigint[]) as item (run_sid, kind, number)
     where m.account_sid = ${t.accountSid} and m.livemode = ${t.livemode} and m.run_sid = item.run_sid
       and m.kind = item.kind and m.number = item.number`);
}

/** Runs that got what they wait for are due at once. The caller holds their rows. */
export async function wakeRuns(t: TenantTx, runSids: string[]): Promise<void> {
  if (runSids.length === 0) return;
  await t.run(sql`
    update workflow_wakes set due_at = least(due_at, ${t.now}::timestamptz)
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and run_sid = any (${runSids}::text[])`);
}
