// A number nobody needs any more is given back to whoever it came from, by a job that does so until it is done.
import type { TenantTx } from '../../../platform/db/database.ts';
import { Closed, Sid, Text } from '../../../platform/http/input/schema.ts';
import { defineJob, enqueue, untilDone } from '../../../platform/jobs/jobs.ts';
import { requireApplication } from '../applications/applications.ts';
import { openTask } from './tasks.ts';
import { vendorValue } from './work.ts';

const job = {
  name: 'managed-onboarding.release-number',
  payload: Closed({ applicationSid: Sid('MA'), reference: Text(128) }),
  attempts: untilDone,
};

export const requestRelease = (t: TenantTx, applicationSid: string, reference: string): void =>
  enqueue(t, job, { applicationSid, reference }, { key: `managed-onboarding/${reference}/release` });

export const releaseNumber = defineJob({
  ...job,
  async run({ read, write, ports, site }, { applicationSid, reference }) {
    const livemode = await read(async (t) => t.livemode);
    const environment = livemode ? 'live' : 'sandbox';
    const place = { baseUrl: site.provider[environment].baseUrl };
    const released = vendorValue(await ports.numberVendors[environment].release(place, reference));
    if (released === null)
      await write(async (t) => openTask(t, await requireApplication(t, applicationSid), 'RELEASE_NUMBER'));
  },
});
