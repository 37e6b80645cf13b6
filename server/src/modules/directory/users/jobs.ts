import { Closed, Sid } from '../../../platform/http/input/schema.ts';
import { defineJob, untilDone } from '../../../platform/jobs/jobs.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { changeApiKey, keysMadeBy } from '../../api-keys/index.ts';

/** A key somebody made would otherwise outlive them. */
export const disableKeysOfLeaver = defineJob({
  // Named when this was a part of identity: jobs may be waiting under the name.
  name: 'identity.disable-keys-of-leaver',
  payload: Closed({ userSid: Sid('US') }),
  attempts: untilDone,
  async run({ database, now, log }, { userSid }) {
    const keys = await database.system((s) => keysMadeBy(s, `user:${userSid}`));
    for (const { id, ...tenant } of keys) {
      const principal = systemPrincipal('job:identity.disable-keys-of-leaver', tenant.livemode);
      const requestContext = { principal, now: now(), requestId: `leaver:${userSid}`, log };
      await database.write(tenant, requestContext, (t) => changeApiKey(t, id, { disabled: true }));
    }
  },
});
