// A customer's instruction to act in its name, in its own words. Written once, never changed, and anchored in the
// audit chain, so that the words can be proven later.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError, type ErrorDetail, invalid } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import type { Pager } from '../../platform/http/operations/pagination.ts';
import { newUuid } from '../../platform/ids.ts';
import { audit } from '../audit/index.ts';
import { authorizationEvents } from './events.ts';
import type { Authorization, NewAuthorization } from './schema.ts';

const columns = sql`'authorization' as object, id, account_sid as "accountSid", livemode, task,
  resource_ref as "resourceRef", instruction, instructed_by as "instructedBy", created_at as "createdAt"`;

export async function recordAuthorization(t: TenantTx, input: NewAuthorization): Promise<Authorization> {
  refuseBlank(input);
  const instructedBy = { type: t.principal.kind, ref: t.principal.ref };
  const authorization = await t.one<Authorization>(sql`
    insert into authorizations (account_sid, livemode, id, task, resource_ref, instruction, instructed_by, created_at)
    values (${t.accountSid}, ${t.livemode}, ${newUuid(t.now)}, ${input.task}, ${input.resourceRef},
      ${input.instruction}, ${JSON.stringify(instructedBy)}::json, ${t.now})
    returning ${columns}`);
  const { id, task, resourceRef, instruction } = authorization;
  audit(t, {
    action: 'authorization.recorded',
    resource: id,
    facts: { task, resourceRef, instruction, instructedBy },
    words: ['resourceRef', 'instruction'],
  });
  emit(t, authorizationEvents.recorded, authorization);
  return authorization;
}

/** The schema allows empty text, but nobody has authorized anything with it. */
function refuseBlank({ instruction, resourceRef }: NewAuthorization): void {
  const details = Object.entries({ instruction, resourceRef })
    .filter(([, text]) => text.trim() === '')
    .map(([path]): ErrorDetail => ({ path, issue: 'must not be blank' }));
  if (details.length > 0) throw invalid(...details);
}

export async function getAuthorization(t: TenantTx, id: string): Promise<Authorization> {
  const found = await t.maybe<Authorization>(sql`
    select ${columns} from authorizations
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and id = ${id}`);
  if (!found) throw new ApiError('NOT_FOUND');
  return found;
}

export async function listAuthorizations(t: TenantTx, pager: Pager) {
  const [createdAt, id] = pager.after ?? [null, null];
  const rows = await t.many<Authorization>(sql`
    select ${columns} from authorizations
     where account_sid = ${t.accountSid} and livemode = ${t.livemode}
       and (${createdAt}::timestamptz is null or (created_at, id) < (${createdAt}, ${id}::uuid))
     order by created_at desc, id desc limit ${pager.fetch}`);
  return pager.page(
    rows,
    (row) => [row.createdAt, row.id],
    (row) => row,
  );
}
