import { cameToBe, mentioning, type Store } from '../../platform/belongings.ts';
import { sql } from '../../platform/db/query.ts';
import { copyOfContactStops, copyOfDecisions, copyOfRuns } from './runs/copies.ts';
import { eraseDecisions, eraseMail, eraseRuns, eraseSteps, eraseStops, theirs } from './runs/erase.ts';
import { eraseTests } from './trials/test-workflow.ts';

export const workflowBelongings: Store[] = [
  {
    name: 'workflow_runs',
    copy: copyOfRuns,
    within: cameToBe((t, person) => sql`select started_at from workflow_runs where ${theirs(t, person)}`),
    kept: 'That a workflow ran and how it ended, by SID and instants, for its numbers (GDPR Art. 6(1)(f)).',
    erase: eraseRuns,
  },
  { name: 'workflow_steps', forget: async (t, sids) => ({ rows: await eraseSteps(t, sids) }) },
  { name: 'workflow_mail', forget: async (t, sids) => ({ rows: await eraseMail(t, sids) }) },
  {
    name: 'workflow_decisions',
    copy: copyOfDecisions,
    within: cameToBe(
      (t, person) => sql`select created_at from workflow_decisions where ${theirs(t, person)}`,
    ),
    erase: eraseDecisions,
  },
  {
    name: 'workflow_contact_stops',
    copy: copyOfContactStops,
    within: cameToBe(
      (t, person) => sql`select created_at from workflow_contact_stops where ${theirs(t, person)}`,
    ),
    erase: eraseStops,
  },
  {
    name: 'workflow_tests',
    erase: async (t, { family }) => ({ rows: await eraseTests(t, family), next: null }),
  },
  {
    name: 'workflows',
    mentions: mentioning(
      'workflow',
      (t) => sql`
        select w.sid, concat_ws(' ', w.name, v.definition)
          from workflows w join workflow_versions v on v.account_sid = w.account_sid and v.workflow_sid = w.sid
         where w.account_sid = ${t.accountSid} and w.livemode = ${t.livemode}`,
    ),
  },
];
