// The way of a submission: what was answered to its ticket before, the limits of its address, the record. Answers take at
// least a fixed time, which hides whether a person had to be made or was there already.
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestContext, Tenant } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { createSemaphore } from '../../../platform/http/limits/semaphore.ts';
import type { Open } from '../../../platform/http/operations/operation.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { formSubmissions } from '../metrics.ts';
import type { OptInReceipt } from '../schema.ts';
import { passAddress } from './limits.ts';
import { signingKey } from './receipt-keys.ts';
import { answerTo, recordSubmission, type Submission } from './record-submission.ts';

// Longer than recording anybody takes on a machine that is not overloaded.
const answerMs = 100;

// However many come at once, they take few of the connections that others need.
const inTurn = createSemaphore(4);

// Those of one link wait for each other in any case, by its row: here they wait without a connection and for as long as it takes.
const ends = new Map<string, Promise<unknown>>();

function inLine<T>(linkSid: string, work: () => Promise<T>): Promise<T> {
  const own = (ends.get(linkSid) ?? Promise.resolve()).then(work);
  const end = own
    .catch(() => {})
    .then(() => {
      if (ends.get(linkSid) === end) ends.delete(linkSid);
    });
  ends.set(linkSid, end);
  return own;
}

type Sender = { address: string; solution: string | undefined };

export async function submit(call: Open, submission: Submission, sender: Sender): Promise<OptInReceipt> {
  const work = () => inTurn(() => answerFor(call, submission, sender));
  try {
    const [answer] = await Promise.all([inLine(submission.link.sid, work), sleep(answerMs)]);
    formSubmissions.inc({ outcome: 'accepted' });
    return answer;
  } catch (error) {
    formSubmissions.inc({ outcome: error instanceof ApiError ? error.code : 'failed' });
    throw error;
  }
}

async function answerFor(
  call: Open,
  submission: Submission,
  { address, solution }: Sender,
): Promise<OptInReceipt> {
  const { database, now, requestId, log } = call;
  const { link, ticketHash } = submission;
  const tenant: Tenant = { accountSid: link.accountSid, livemode: link.livemode };
  const principal = systemPrincipal('opt-in-form', link.livemode);
  const context: RequestContext = { principal, now, requestId, log };
  // A page that is loaded again posts again. That is nothing new, and counts for nothing.
  const before = ticketHash && (await database.read(tenant, context, (t) => answerTo(t, link, ticketHash)));
  if (before) return before;
  await passAddress(call, address, solution);
  const key = await signingKey(call);
  return database.write(tenant, context, (t) => recordSubmission(t, key, submission));
}
