// The staff of the sandbox: a robot that decides at once, as words in the display name tell it.
//   needs_information   asks for something first
//   requote             offers the prices of the country first
//   reject              rejects
//   robot_waits         does nothing, so that somebody else can
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { defineJob } from '../../../platform/jobs/jobs.ts';
import { type ApplicationRow, findApplication } from '../applications/applications.ts';
import { openDetails } from '../applications/details.ts';
import { robotJob } from '../applications/robot-job.ts';
import type { Provision } from '../provisioning/provision.ts';
import { approve, reject, requestInformation, requote, takeIntoReview } from './staff.ts';

export const robotWith = (provision: Provision) =>
  defineJob({
    ...robotJob,
    async run({ write }, { applicationSid: sid }) {
      if (!(await write((t) => review(t, sid)))) return;
      const refusal = await write((t) => approve(t, provision, sid)).then(() => null, refusalOf);
      // Nobody is there who could wait for money to come. Whatever else was refused, somebody else was faster.
      if (refusal === 'INSUFFICIENT_FUNDS')
        await write((t) => reject(t, sid, 'The wallet does not hold the fee.'));
    },
  });

function refusalOf(error: unknown): string {
  if (error instanceof ApiError && ['INSUFFICIENT_FUNDS', 'CONFLICT'].includes(error.code)) return error.code;
  throw error;
}

/** True for an application that is to be approved. */
async function review(t: TenantTx, sid: string): Promise<boolean> {
  const found = await findApplication(t, sid);
  if (t.livemode || !found || /robot_waits/i.test(found.displayName)) return false;
  if (found.state === 'SUBMITTED') await takeIntoReview(t, sid);
  else if (found.state !== 'IN_REVIEW') return false;
  const { displayName } = found;
  if (/reject/i.test(displayName)) await reject(t, sid, 'The sandbox was told to reject it.');
  else if (/needs_information/i.test(displayName) && !hasInformed(t, found))
    await requestInformation(t, sid, 'Please send an extract of the register.');
  else if (/requote/i.test(displayName) && found.accepted.applicationSid === null)
    await requote(t, sid, { reason: 'The prices of the country apply.' });
  else return true;
  return false;
}

const hasInformed = (t: TenantTx, { sid, details }: ApplicationRow) =>
  (openDetails(t, sid, details)?.information.length ?? 0) > 0;
