// Whether somebody may begin a workflow now: they are not restricted, it was not stopped for them, they are not in it, they have not been where once is enough,
// and not too much has begun for them lately.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { restrictionsNow } from '../../contacts/index.ts';
import type { Decision } from './told.ts';

const hourMs = 60 * 60 * 1000;
export const maxStartsPerHour = 60;
/** How many runs may stand before one, each started by what the one before did. */
export const maxRunsBefore = 5;

export type Entrant = {
  workflowSid: string;
  subjectSid: string;
  contactSid: string | null;
  allowReentry: boolean;
  depth: number;
};
export type Refusal = { decision: Exclude<Decision, 'started'>; detail: object | null };

export type Standing = {
  refusalOf(entrant: Entrant): Refusal | null;
  /** It began: what is asked next is told so. */
  began(entrant: Entrant, runSid: string): void;
};

const keyOf = ({ workflowSid, subjectSid }: Pick<Entrant, 'workflowSid' | 'subjectSid'>) =>
  `${workflowSid} ${subjectSid}`;

export async function standingOf(t: TenantTx, entrants: readonly Entrant[]): Promise<Standing> {
  const workflows = [...new Set(entrants.map(({ workflowSid }) => workflowSid))];
  const subjects = [...new Set(entrants.map(({ subjectSid }) => subjectSid))];
  const contacts = [...new Set(entrants.flatMap(({ contactSid }) => contactSid ?? []))];
  const theirs = sql`account_sid = ${t.accountSid} and livemode = ${t.livemode} and workflow_sid = any (${workflows}::text[])`;
  type Row = { workflowSid: string; subjectSid: string };
  const [restricted, stops, entries, active, starts] = await Promise.all([
    restrictionsNow(t, contacts),
    t.many<Row>(sql`
      select workflow_sid as "workflowSid", contact_sid as "subjectSid" from workflow_contact_stops
       where ${theirs} and contact_sid = any (${contacts}::text[])`),
    t.many<Row & { runSid: string }>(sql`
      select workflow_sid as "workflowSid", subject_sid as "subjectSid", last_run_sid as "runSid" from workflow_entries
       where ${theirs} and subject_sid = any (${subjects}::text[])`),
    t.many<Row & { runSid: string }>(sql`
      select workflow_sid as "workflowSid", subject_sid as "subjectSid", sid as "runSid" from workflow_runs
       where ${theirs} and subject_sid = any (${subjects}::text[]) and ended_at is null`),
    t.many<{ contactSid: string; starts: number }>(sql`
      select contact_sid as "contactSid", count(*)::integer as starts from workflow_runs
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and contact_sid = any (${contacts}::text[])
         and started_at > ${new Date(t.now.getTime() - hourMs)}
       group by contact_sid`),
  ]);
  return judgeBy({
    restricted,
    stopped: new Set(stops.map(keyOf)),
    entered: new Map(entries.map((row) => [keyOf(row), row.runSid])),
    active: new Map(active.map((row) => [keyOf(row), row.runSid])),
    starts: new Map(starts.map((row) => [row.contactSid, row.starts])),
  });
}

type Known = {
  restricted: ReadonlyMap<string, string>;
  stopped: ReadonlySet<string>;
  entered: Map<string, string>;
  active: Map<string, string>;
  starts: Map<string, number>;
};

function judgeBy({ restricted, stopped, entered, active, starts }: Known): Standing {
  const startsOf = (contactSid: string | null) => starts.get(contactSid ?? '') ?? 0;
  return {
    refusalOf(entrant) {
      const key = keyOf(entrant);
      const requestSid = restricted.get(entrant.contactSid ?? '');
      if (requestSid !== undefined) return { decision: 'restricted_contact', detail: { requestSid } };
      if (stopped.has(key)) return { decision: 'stopped_contact', detail: null };
      const runSid = active.get(key) ?? (entrant.allowReentry ? undefined : entered.get(key));
      if (runSid !== undefined) return { decision: 'reentry', detail: { runSid, active: active.has(key) } };
      if (entrant.depth > maxRunsBefore)
        return { decision: 'limit', detail: { limit: 'depth', most: maxRunsBefore } };
      if (startsOf(entrant.contactSid) >= maxStartsPerHour)
        return { decision: 'limit', detail: { limit: 'starts', most: maxStartsPerHour } };
      return null;
    },
    began(entrant, runSid) {
      entered.set(keyOf(entrant), runSid);
      active.set(keyOf(entrant), runSid);
      if (entrant.contactSid !== null) starts.set(entrant.contactSid, startsOf(entrant.contactSid) + 1);
    },
  };
}
