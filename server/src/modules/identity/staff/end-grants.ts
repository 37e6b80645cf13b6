// Somebody of the operator who is deactivated has lost what they were let into: coming back does not bring it back. The grants stand with
// the customers, each in an account of its own, so that a job ends them there and each customer's audit chain has it.
import type { TenantTx } from '../../../platform/db/database.ts';
import { Closed, DateTime, Sid } from '../../../platform/http/input/schema.ts';
import { defineJob, enqueue, untilDone } from '../../../platform/jobs/jobs.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { findAccount, isOperator } from '../../accounts/index.ts';
import { revokeStaff, staffGrants } from '../../roles/index.ts';
import { lockStatus } from './let-in.ts';

export const endStaffGrants = defineJob({
  name: 'identity.end-staff-grants',
  payload: Closed({ userSid: Sid('US'), until: DateTime }),
  attempts: untilDone,
  async run({ database, now, log }, { userSid, until }) {
    await database.system(async (s) => {
      // Whoever is still deactivated has lost everything, also what was given at the very moment. Once they are back, time alone
      // tells what they have from before.
      const given = (await lockStatus(s, userSid)) === 'DEACTIVATED' ? {} : { until: new Date(until) };
      const grants = await staffGrants(s, now(), { userSid, ...given });
      for (const accountSid of new Set(grants.map((grant) => grant.accountSid!))) {
        const principal = systemPrincipal('job:identity.end-staff-grants', true);
        const request = { principal, now: now(), requestId: 'job', log };
        await database.write({ accountSid, livemode: true }, request, (t) =>
          revokeStaff(t, userSid, 'deactivated', given),
        );
      }
    });
  },
});

/** What was granted until now. Only the operator's people are let in anywhere. */
export async function loseStaffGrants(t: TenantTx, userSid: string): Promise<void> {
  const { organizationId } = (await findAccount(t, t.accountSid))!;
  if (!(await isOperator(t, organizationId))) return;
  const payload = { userSid, until: t.now.toISOString() };
  // A later one ends what an earlier one would.
  enqueue(t, endStaffGrants, payload, { key: `staff-grants:${userSid}` });
}
