// Connects a business account anew by a signup at the provider: the operation waits for whoever signs up there, and goes on with the
// token that came of it. See `return.ts` for what happens in between.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { Closed, Sid } from '../../../platform/http/input/schema.ts';
import type { Answer, AnyInput, Outside } from '../../../platform/http/operations/operation.ts';
import { audit } from '../../audit/index.ts';
import {
  accepted,
  defineOperationType,
  type Operation,
  type OperationContext,
  type RunningOperation,
  type StepOutcome,
  startOperation,
} from '../../operations/index.ts';
import { answerOf, refuseWithout, spokenIn } from '../../provider/index.ts';
import { connectionStateOf, noteSeen, refuseWhileWorkedOn, workOnConnection } from '../connection-states.ts';
import type { WabaHooks } from '../hooks.ts';
import { reach } from '../read-waba.ts';
import { lockWaba, requireWaba } from '../wabas.ts';
import { finishReconnect } from './finish-reconnect.ts';
import type { ReconnectWaba } from './schema.ts';
import { closeSignup, insertSignup, newLink, readSignup, replaceLink, type Signup } from './signups.ts';

type Input = { wabaSid: string };

export const reconnectType = (hooks: WabaHooks) =>
  defineOperationType({
    type: 'waba.reconnect',
    input: Closed({ wabaSid: Sid('WB') }),
    run: (context, operation) => run(context, hooks, operation),
  });

/** Before a second factor is asked for. */
export async function judgeReconnect(t: TenantTx, wabaSid: string): Promise<void> {
  await requireWaba(t, wabaSid);
  requireSignup(t);
  await refuseWhileWorkedOn(t, wabaSid);
}

function requireSignup(t: TenantTx): void {
  const signup = t.site.provider[t.livemode ? 'live' : 'sandbox'].signupConfigId !== null;
  refuseWithout('EMBEDDED_SIGNUP', { signup, partnerBilling: false, ...spokenIn(t) });
}

export async function startReconnect(
  call: Outside,
  type: ReturnType<typeof reconnectType>,
  wabaSid: string,
  { caseRef, reason }: ReconnectWaba,
  stepUp: AnyInput['stepUp'],
): Promise<Answer<Operation>> {
  const refused = await isTokenRefused(call, wabaSid);
  return call.finish(async (t) => {
    await stepUp(t);
    requireSignup(t);
    const waba = await lockWaba(t, wabaSid);
    await refuseWhileWorkedOn(t, wabaSid);
    if (waba.connectionState === 'CONNECTED' && !refused) throw works();
    if (refused) await noteSeen(t, wabaSid, { token: 'INVALID' });
    const link = newLink(t, waba.providerWabaId);
    const operation = await startOperation(t, type, { wabaSid }, { awaiting: link.awaiting });
    await insertSignup(t, operation.sid, wabaSid, link);
    await workOnConnection(t, wabaSid, operation.sid);
    const facts = { operationSid: operation.sid, caseRef, reason };
    audit(t, { action: 'waba.reconnect_requested', resource: wabaSid, facts });
    return accepted(operation);
  });
}

const works = () =>
  new ApiError('CONFLICT', {
    message: 'The account is connected and the provider takes its token: there is nothing to connect anew.',
  });

/** Asked now: what was seen an hour ago must neither keep somebody out nor replace a token that works. */
async function isTokenRefused(call: Outside, wabaSid: string): Promise<boolean> {
  const reached = await call.read((t) => reach(t, wabaSid));
  if (!reached) return false;
  const answered = await call.ports.provider.getWaba(reached.connection, reached.wabaId);
  if (answered.ok) return false;
  const { code } = answered.failure;
  // An account that the token no longer opens is told as one that is not there.
  if (code === 'PROVIDER_TOKEN_INVALID' || code === 'WABA_NOT_CONNECTED') return true;
  const { token } = await call.read((t) => connectionStateOf(t, wabaSid));
  if (token === 'INVALID') return true;
  answerOf(answered);
  return false;
}

async function run(
  context: OperationContext,
  hooks: WabaHooks,
  operation: RunningOperation<Input>,
): Promise<StepOutcome> {
  const { sid, overdue } = operation;
  const signup = await context.read((t) => readSignup(t, sid));
  if (signup.sealedToken) return finishReconnect(context, hooks, signup);
  if (overdue) return lapsed(sid);
  return askToSignUp(context, signup);
}

const lapsed = (sid: string): StepOutcome => ({
  failure: {
    code: 'ONBOARDING_CODE_EXPIRED',
    message: 'Nobody signed up at the provider within 30 minutes. A retry gives a new link.',
    retryable: true,
  },
  apply: (t) => closeSignup(t, sid),
});

/** After a retry: a new link, which is good once it was written down. */
async function askToSignUp(
  context: OperationContext,
  { operationSid, wabaSid }: Signup,
): Promise<StepOutcome> {
  const link = await context.read(async (t) => {
    requireSignup(t);
    return newLink(t, (await requireWaba(t, wabaSid)).providerWabaId);
  });
  return { ...link.awaiting, apply: (t) => replaceLink(t, operationSid, link) };
}
