// Requests to endpoints: webhook deliveries to one endpoint alone. What it answers comes as mail.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { type RequestAnswer, requestDeliveries } from '../../webhooks/index.ts';
import { announceRuns } from '../runs/lanes.ts';
import { storeMail, wakeRuns } from '../runs/mail.ts';
import { type Done, type Door, faultOf, type Task } from './effect-doors.ts';

/** One event for each step of a run, by which receivers tell whether they have seen it. */
const keyOf = ({ walk }: Task<'http_request'>) => `${walk.run.sid} ${walk.effect!.position}`;

export const askEndpoints: Door<'http_request'> = async (t, tasks) => {
  const requests = tasks.map((task) => {
    const { endpointSid, body } = task.effect;
    return { key: keyOf(task), endpointSid, body };
  });
  const refusals = await requestDeliveries(t, requests);
  return tasks.map(({ walk, effect }, at): Done => {
    const refusal = refusals[at];
    if (refusal) return { error: faultOf(refusal) };
    const standing = walk.effect!;
    if (!standing.awaits) return { output: { endpointSid: effect.endpointSid }, eventSid: null };
    const until = new Date(t.now.getTime() + effect.timeoutSeconds * 1_000);
    return { effect: { ...standing, answerUntil: until.toISOString() }, at: until };
  });
};

/** Hands answers to the runs that wait for them; a run that is over needs none. */
export async function hearRequestAnswers(t: TenantTx, answers: readonly RequestAnswer[]): Promise<void> {
  const told = answers.flatMap((answer) => {
    const [runSid, position] = answer.key.split(' ');
    return position === undefined ? [] : [{ runSid: runSid!, position, answer }];
  });
  if (told.length === 0) return;
  const rows = await t.many<{ sid: string }>(sql`
    select run_sid as sid from workflow_wakes
     where account_sid = ${t.accountSid} and livemode = ${t.livemode}
       and run_sid = any (${told.map(({ runSid }) => runSid)}::text[])
     order by run_sid for no key update`);
  const active = new Set(rows.map(({ sid }) => sid));
  const heard = told.filter(({ runSid }) => active.has(runSid));
  if (heard.length === 0) return;
  await storeMail(
    t,
    heard.map(({ runSid, position, answer }) => ({
      runSid,
      number: position,
      kind: 'result' as const,
      eventSid: null,
      type: null,
      data: resultOf(answer),
    })),
  );
  await wakeRuns(
    t,
    heard.map(({ runSid }) => runSid),
  );
  await announceRuns(t, t.now);
}

function resultOf({ deliverySid, status, failure, body }: RequestAnswer) {
  if (failure !== null)
    return { error: { code: 'HTTP_FAILED', message: `The endpoint could not be asked: ${failure}.` } };
  return { output: { deliverySid, status, body: readBody(body) } };
}

/** Parsed where it is JSON, so that paths reach into it. */
function readBody(body: string | null): unknown {
  if (body === null || body === '') return null;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
