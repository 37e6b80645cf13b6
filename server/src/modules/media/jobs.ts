import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { Closed, Sid } from '../../platform/http/input/schema.ts';
import { firstSid } from '../../platform/ids.ts';
import { defineJob, enqueue, untilDone } from '../../platform/jobs/jobs.ts';
import { bringIn, fetchUrl } from './transfer/fetch-media.ts';
import { fetchReceived, pendingAttachment } from './transfer/receive-media.ts';
import { scanMedia } from './transfer/scan-media.ts';
import { letContentGo } from './uses.ts';

// Each goes on for longer than the work itself gives up, so that it is the work that says why.
const attempts = 12;
const payload = Closed({ mediaSid: Sid('ME') });
// A host that fails is asked again for as long; the provider keeps what it received for days.
const urlGiveUpMs = 15 * 60_000;
const providerGiveUpMs = 6 * 60 * 60_000;

export const scanJob = defineJob({
  name: 'media.scan',
  payload,
  attempts,
  run: (context, { mediaSid }) => scanMedia(context, mediaSid),
});

const thenScan = (t: TenantTx, mediaSid: string) => enqueue(t, scanJob, { mediaSid });

export const fetchJob = defineJob({
  name: 'media.fetch',
  payload,
  attempts,
  async run(context, { mediaSid }) {
    const pending = await context.read((t) => pendingUrl(t, mediaSid));
    if (!pending) return;
    const { createdAt } = pending;
    const fetching = { createdAt, giveUpMs: urlGiveUpMs, load: () => fetchUrl(context, pending) };
    await bringIn(context, mediaSid, fetching, thenScan);
  },
});

function pendingUrl(t: TenantTx, mediaSid: string) {
  return t.maybe<{ url: string; livemode: boolean; createdAt: string }>(sql`
    select source_url as url, livemode, created_at as "createdAt" from media
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${mediaSid} and status = 'PENDING'
       and source_url is not null`);
}

export const receiveJob = defineJob({
  name: 'media.receive',
  payload,
  attempts,
  async run(context, { mediaSid }) {
    const pending = await context.read((t) => pendingAttachment(t, mediaSid));
    if (!pending) return;
    const { createdAt } = pending;
    const fetching = { createdAt, giveUpMs: providerGiveUpMs, load: () => fetchReceived(context, pending) };
    await bringIn(context, mediaSid, fetching, thenScan);
  },
});

const goneAtOnce = 500;

/** A legal hold ended: content that only it kept goes, so many items at a time. */
export const letGoJob = defineJob({
  name: 'media.let-go',
  payload: Closed({ after: Sid('ME') }),
  attempts: untilDone,
  run: (context, { after }) =>
    context.write(async (t) => {
      const last = await letContentGo(t, after, goneAtOnce);
      if (last !== null) enqueue(t, letGoJob, { after: last });
    }),
});

export const afterHold = (t: TenantTx) => enqueue(t, letGoJob, { after: firstSid('ME', new Date(0)) });
