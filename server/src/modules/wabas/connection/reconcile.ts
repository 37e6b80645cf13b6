// Brings back the events of a business account that stopped coming: looks who is told of them, subscribes our app where it is
// missing or told elsewhere, looks again, and asks what became of the messages nobody spoke of meanwhile.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { Closed, Sid } from '../../../platform/http/input/schema.ts';
import { audit } from '../../audit/index.ts';
import {
  defineOperationType,
  type Operation,
  type OperationContext,
  type RunningOperation,
  type StepOutcome,
  startOperation,
} from '../../operations/index.ts';
import { answerOf } from '../../provider/index.ts';
import { keepFound, refuseWhileWorkedOn, workOnConnection } from '../connection-states.ts';
import type { WabaHooks } from '../hooks.ts';
import { type Reached, reach } from '../read-waba.ts';
import { lockWaba } from '../wabas.ts';
import { markSeen } from './look.ts';
import type { ReconcileSubscription } from './schema.ts';
import { appIdIn, type FoundSubscription, reachesUs, readSubscription } from './subscriptions.ts';

type Input = { wabaSid: string };

const notSetUp =
  "The operator has not set PROVIDER_APP_ID: without it nobody can tell which of an account's subscriptions is ours.";

export const reconcileType = (hooks: WabaHooks) =>
  defineOperationType({
    type: 'waba.reconcile_subscription',
    input: Closed({ wabaSid: Sid('WB') }),
    run: (context, operation) => reconcile(context, hooks, operation),
  });

export async function startReconcile(
  t: TenantTx,
  type: ReturnType<typeof reconcileType>,
  wabaSid: string,
  { caseRef, reason }: ReconcileSubscription,
): Promise<Operation> {
  const waba = await lockWaba(t, wabaSid);
  if (waba.connectionState !== 'CONNECTED') throw new ApiError('WABA_NOT_CONNECTED');
  if (appIdIn(t.site, t.livemode) === null)
    throw new ApiError('CAPABILITY_UNAVAILABLE', { message: notSetUp });
  await refuseWhileWorkedOn(t, wabaSid);
  const operation = await startOperation(t, type, { wabaSid });
  await workOnConnection(t, wabaSid, operation.sid);
  const facts = { operationSid: operation.sid, caseRef, reason };
  audit(t, { action: 'waba.reconcile_requested', resource: wabaSid, facts });
  return operation;
}

async function reconcile(
  context: OperationContext,
  hooks: WabaHooks,
  { sid, input }: RunningOperation<Input>,
): Promise<StepOutcome> {
  const { wabaSid } = input;
  const start = await context.read(async (t) => ({
    reached: await reach(t, wabaSid),
    appId: appIdIn(t.site, t.livemode),
  }));
  if (!start.reached) throw new ApiError('WABA_NOT_CONNECTED');
  const { before, after } = await subscribeAgain(context, wabaSid, sid, start.reached, start.appId);
  await context.write((t) =>
    markSeen(t, hooks, wabaSid, {
      token: 'VALID',
      subscription: reachesUs(after) ? 'SUBSCRIBED' : 'MISSING',
    }),
  );
  if (!reachesUs(after)) {
    const message = 'The provider took the subscription and does not show it. Retry in some minutes.';
    return { failure: { code: 'PROVIDER_TEMPORARY_ERROR', message, retryable: true } };
  }
  const messages = await hooks.settleByHistory(context, wabaSid, start.reached.connection);
  return { result: { wabaSid, before, after, resubscribed: !reachesUs(before), messages } };
}

type Compared = { before: FoundSubscription; after: FoundSubscription };

async function subscribeAgain(
  context: OperationContext,
  wabaSid: string,
  operationSid: string,
  reached: Reached,
  appId: string | null,
): Promise<Compared> {
  const { provider } = context.ports;
  const now = await readSubscription({ ports: context.ports, appId }, reached);
  // Kept before anything is changed: after a crash the account may be subscribed already.
  const before = await context.write((t) => keepFound(t, wabaSid, operationSid, now));
  if (reachesUs(now)) return { before, after: now };
  answerOf(await provider.subscribe(reached.connection, reached.wabaId));
  return { before, after: await readSubscription({ ports: context.ports, appId }, reached) };
}
