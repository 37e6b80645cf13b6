// What a run has removed so far, counted in the transactions that remove.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import type { Removes, RetentionRun } from './schema.ts';

export async function beginRun(t: TenantTx, operationSid: string): Promise<void> {
  await t.run(sql`
    insert into retention_runs (account_sid, livemode, operation_sid, created_at)
    values (${t.accountSid}, ${t.livemode}, ${operationSid}, ${t.now})`);
}

const own = (t: TenantTx, operationSid: string) =>
  sql`account_sid = ${t.accountSid} and livemode = ${t.livemode} and operation_sid = ${operationSid}`;

type Added = Partial<Removes> & { firstLeft?: string | null; contentsUntil?: string };

export async function addToRun(t: TenantTx, operationSid: string, added: Added): Promise<void> {
  const { messageContents = 0, messages = 0, mediaFiles = 0, mediaBytes = 0, analyticsDays = 0 } = added;
  await t.run(sql`
    update retention_runs set message_contents = message_contents + ${messageContents}, messages = messages + ${messages},
      media_files = media_files + ${mediaFiles}, media_bytes = media_bytes + ${mediaBytes}::bigint, analytics_days = analytics_days + ${analyticsDays},
      first_left = coalesce(first_left, ${added.firstLeft ?? null}), contents_until = coalesce(${added.contentsUntil ?? null}, contents_until)
     where ${own(t, operationSid)}`);
}

/** Remembers up to where no content is left, and tells what was removed. */
export async function endRun(t: TenantTx, operationSid: string): Promise<RetentionRun> {
  const { goneBefore, ...removed } = await t.one<Removes & { goneBefore: string | null }>(sql`
    select message_contents::float8 as "messageContents", messages::float8, media_files::float8 as "mediaFiles",
      media_bytes::float8 as "mediaBytes", analytics_days::float8 as "analyticsDays", coalesce(first_left, contents_until) as "goneBefore"
      from retention_runs where ${own(t, operationSid)}`);
  await t.run(sql`
    update retention_policies set content_gone_before = greatest(content_gone_before, ${goneBefore ?? ''})
     where account_sid = ${t.accountSid} and livemode = ${t.livemode}`);
  return { object: 'retention_run', operationSid, accountSid: t.accountSid, livemode: t.livemode, removed };
}
