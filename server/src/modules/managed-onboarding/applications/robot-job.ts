// In the sandbox nobody is there to review: a robot is asked whenever an application waits for the operator.
import type { TenantTx } from '../../../platform/db/database.ts';
import { Closed, Sid } from '../../../platform/http/input/schema.ts';
import { enqueue, untilDone } from '../../../platform/jobs/jobs.ts';

export const robotJob = {
  name: 'managed-onboarding.robot',
  payload: Closed({ applicationSid: Sid('MA') }),
  attempts: untilDone,
};

export function askRobot(t: TenantTx, applicationSid: string): void {
  if (t.livemode) return;
  enqueue(t, robotJob, { applicationSid }, { key: `managed-onboarding/${applicationSid}/robot` });
}
