// The sender follows its number: one commit, after which its messages leave from the destination. Then what belongs to a number there
// is looked after.
import { audit } from '../../audit/index.ts';
import { mirrorAnew } from '../../consent/index.ts';
import { wakeSender } from '../../messages/index.ts';
import { moveSender } from '../../senders/index.ts';
import { requestTemplates } from '../../templates/index.ts';
import { requestWabaFacts } from '../../wabas/index.ts';
import { note } from '../history.ts';
import { changeMigration } from '../migrations.ts';
import { openSecret } from '../secrets.ts';
import { read } from './register-number.ts';
import { commit, goOn, later, providerOf, reach, restAfter, type Step } from './tools.ts';

const readAgainMs = 1_000;

export const cutOver: Step = async (work) => {
  const { operation, migration } = work;
  const { sid } = operation;
  const { senderSid, sourceWabaSid, destinationWabaSid } = migration;
  const destination = await reach(work, destinationWabaSid);
  const number = destination && (await read(work, destination));
  // It was registered, so that there is no other way: whatever keeps it from being read passes.
  if (!number?.ok) return later(work, readAgainMs);
  await commit(work, async (t) => {
    const pin = openSecret(t, sid, 'pin', migration.sealedPin!);
    await moveSender(t, { senderSid, by: sid, wabaSid: destinationWabaSid, number: number.value, pin });
    await wakeSender(t, senderSid);
    mirrorAnew(t, senderSid);
    await note(t, sid, 'CUT_OVER', 'DONE');
    await changeMigration(t, sid, { step: 'SUBSCRIBE', sealedPin: null });
    const facts = { operationSid: sid, from: sourceWabaSid, to: destinationWabaSid };
    audit(t, { action: 'sender.moved', resource: senderSid, facts });
  });
  return null;
};

/** Without a subscription nothing is told of what the number sends and receives. */
export const subscribe: Step = async (work) => {
  const destination = await reach(work, work.migration.destinationWabaSid);
  if (!destination) return later(work, 60_000);
  const { connection, wabaId } = destination;
  const { appId } = work.context.site.provider[work.operation.livemode ? 'live' : 'sandbox'];
  const now = await providerOf(work).listSubscribedApps(connection, wabaId);
  const isTold = now.ok && now.value.apps.some((app) => app.appId === appId);
  const done = now.ok && !isTold ? await providerOf(work).subscribe(connection, wabaId) : now;
  if (!done.ok) return later(work, restAfter(done.failure));
  await commit(work, async (t) => {
    requestTemplates(t, work.migration.destinationWabaSid);
    requestWabaFacts(t, work.migration.destinationWabaSid);
  });
  return goOn(work, 'VALIDATE');
};
