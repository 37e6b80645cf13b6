// A name that was deleted is not given again for 30 days. While the name lives on in another language only the deleted
// language is locked; when it was the last, the whole name is.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import type { TemplateName } from './find-template.ts';

const lockMs = 30 * 86_400_000;

export async function lockName(t: TenantTx, { wabaSid, name, language }: TemplateName): Promise<void> {
  const until = new Date(t.now.getTime() + lockMs);
  await t.run(sql`
    insert into template_name_locks (account_sid, livemode, waba_sid, name, language, locked_until)
    values (${t.accountSid}, ${t.livemode}, ${wabaSid}, ${name}, ${language}, ${until})
    on conflict (account_sid, waba_sid, name, language) do update set locked_until = excluded.locked_until`);
}

/** For a deletion the provider refused. */
export async function unlockName(t: TenantTx, { wabaSid, name, language }: TemplateName): Promise<void> {
  await t.run(sql`
    update template_name_locks set locked_until = ${t.now}
     where account_sid = ${t.accountSid} and waba_sid = ${wabaSid} and name = ${name} and language = ${language}`);
}

export async function refuseLockedName(
  t: TenantTx,
  { wabaSid, name, language }: TemplateName,
): Promise<void> {
  const lock = await t.maybe<{ until: string }>(sql`
    select locked_until as until from template_name_locks l
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and waba_sid = ${wabaSid} and name = ${name}
       and locked_until > ${t.now}
       and (language = ${language} or not exists (
         select from templates x where x.account_sid = l.account_sid and x.waba_sid = l.waba_sid and x.name = l.name
            and x.deleted_at is null and x.status <> 'PENDING_DELETION'))
     order by locked_until desc limit 1`);
  if (!lock) return;
  throw new ApiError('TEMPLATE_NAME_LOCKED', {
    details: [{ path: 'name', issue: `is locked until ${lock.until}` }],
  });
}
