// The token of a signup becomes that of the business account, once the provider has listed its numbers with it and tells us of its
// events. Until then nothing of the account has changed.
import type { TenantTx } from '../../../platform/db/database.ts';
import { isUniqueViolation } from '../../../platform/db/failures.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { emit } from '../../../platform/events.ts';
import { audit } from '../../audit/index.ts';
import type { OperationContext, StepOutcome } from '../../operations/index.ts';
import { answerOf, type ProviderPhoneNumber } from '../../provider/index.ts';
import { noteSeen } from '../connection-states.ts';
import { wabaEvents } from '../events.ts';
import type { WabaHooks } from '../hooks.ts';
import { applyListedLimit } from '../limits.ts';
import { listNumbers } from '../list-numbers.ts';
import { requestWabaFacts } from '../read-waba.ts';
import { getWaba } from '../resource.ts';
import { alreadyConnected, connectionWith, lockWaba, requireWaba, sealToken } from '../wabas.ts';
import { closeSignup, openSignupToken, type Signup } from './signups.ts';
import { appIdIn, type FoundSubscription, reachesUs, readSubscription } from './subscriptions.ts';

type Read = { numbers: ProviderPhoneNumber[]; found: FoundSubscription };

export async function finishReconnect(
  context: OperationContext,
  hooks: WabaHooks,
  { operationSid, wabaSid, sealedToken }: Signup,
): Promise<StepOutcome> {
  const start = await context.read(async (t) => {
    const accessToken = openSignupToken(t, operationSid, sealedToken!);
    const { providerWabaId: wabaId } = await requireWaba(t, wabaSid);
    const connection = connectionWith(t, accessToken);
    return { accessToken, connection, wabaId, appId: appIdIn(t.site, t.livemode) };
  });
  const { connection, wabaId, appId, accessToken } = start;
  const read = await useToken(context, { connection, wabaId }, appId);
  if (read === 'refused') return refused(operationSid);
  return {
    result: { wabaSid, subscription: read.found.subscription, numbers: read.numbers.length },
    async apply(t) {
      await takeOver(t, wabaSid, accessToken);
      await connectAgain(t, hooks, wabaSid, read);
      await closeSignup(t, operationSid);
    },
  };
}

type Reaching = { connection: ReturnType<typeof connectionWith>; wabaId: string };

async function useToken(
  context: OperationContext,
  reached: Reaching,
  appId: string | null,
): Promise<Read | 'refused'> {
  const { provider } = context.ports;
  try {
    const numbers = await listNumbers(context, reached.connection, reached.wabaId);
    answerOf(await provider.subscribe(reached.connection, reached.wabaId));
    return { numbers, found: await readSubscription({ ports: context.ports, appId }, reached) };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'PROVIDER_TOKEN_INVALID') return 'refused';
    throw error;
  }
}

/** Somebody withdrew it right after they gave it: they are asked again. */
const refused = (operationSid: string): StepOutcome => ({
  failure: {
    code: 'PROVIDER_TOKEN_INVALID',
    message: 'The provider refuses the token that came of the signup. A retry gives a new link.',
    retryable: true,
  },
  apply: (t) => closeSignup(t, operationSid),
});

async function takeOver(t: TenantTx, wabaSid: string, accessToken: string): Promise<void> {
  await lockWaba(t, wabaSid);
  try {
    await t.run(sql`
      update wabas set access_token = ${sealToken(t, wabaSid, accessToken)}, connection_state = 'CONNECTED', connected_at = ${t.now},
        disconnected_at = null, disconnect_reason = null, read_due_at = ${t.now}, updated_at = ${t.now}
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = ${wabaSid}`);
  } catch (error) {
    throw isUniqueViolation(error, 'wabas_by_provider_id') ? alreadyConnected() : error;
  }
}

async function connectAgain(
  t: TenantTx,
  hooks: WabaHooks,
  wabaSid: string,
  { numbers, found }: Read,
): Promise<void> {
  await hooks.numbersListed(t, wabaSid, numbers);
  await applyListedLimit(t, hooks, wabaSid, numbers);
  hooks.requestTemplates(t, wabaSid);
  requestWabaFacts(t, wabaSid);
  const unseen = found.subscription === 'UNKNOWN' ? 'UNKNOWN' : 'MISSING';
  await noteSeen(t, wabaSid, { token: 'VALID', subscription: reachesUs(found) ? 'SUBSCRIBED' : unseen });
  audit(t, { action: 'waba.connected', resource: wabaSid, facts: { by: 'SIGNUP' } });
  emit(t, wabaEvents.connected, await getWaba(t, hooks, wabaSid));
}
