import { bearer } from '../../../test/harness/app.ts';
import type { Fixtures, Given } from '../../../test/harness/fixtures.ts';
import { newSid } from '../../platform/ids.ts';
import { definitionSample } from './resources/samples.ts';

async function workflow({ app, owner }: Given): Promise<string> {
  const body = { name: 'Ask for the order', definition: definitionSample };
  return (await app.post(`/v1/accounts/${owner.accountSid}/workflows`, body, bearer(owner.key))).body.sid;
}

export const fixtures: Fixtures = {
  workflowSid: workflow,
  async testSid({ app, owner }) {
    const path = `/v1/accounts/${owner.accountSid}/workflows/${await workflow({ app, owner })}/test`;
    return (await app.post(path, { eventType: 'MESSAGE_RECEIVED' }, bearer(owner.key))).body.sid;
  },
  /** One that waits, of a workflow of its own. */
  async runSid({ app, owner }) {
    const workflowSid = await workflow({ app, owner });
    const now = app.clock.now();
    const sid = newSid('WR', now);
    await app.sql(
      `insert into workflow_runs (account_sid, livemode, sid, workflow_sid, version, state, contact_sid, subject_sid,
         event_sequence, event_sid, event_type, event_data, depth, cursor, memory, started_at, timeout_at, updated_at)
       values ($1, $2, $3, $4, 1, 'WAITING', $5, $5, 1, $6, 'MESSAGE_RECEIVED', '{}', 0, '{}', '{}', $7, $7, $7)`,
      [owner.accountSid, owner.livemode, sid, workflowSid, newSid('CT', now), newSid('EV', now), now],
    );
    return sid;
  },
};
