// The link on which somebody pays: it leads on to the service's page while that can be paid on, and says what has become of the
// payment when it cannot. Each visit asks the service first, so that nobody who has paid is asked to pay again.
import type { Database, Tenant, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { sha256 } from '../../../platform/hashing.ts';
import { languageOf, wantsHtml } from '../../../platform/http/operations/html-answer.ts';
import { Answer, type Input, type Open } from '../../../platform/http/operations/operation.ts';
import { format, toWire } from '../../../platform/money.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { type Attempt, addAttempt, attemptsOf, unresolvedOf } from '../attempts/attempts.ts';
import type { PaymentHooks } from '../hooks.ts';
import { findIntent, type Intent, lockIntent, moneyOf } from '../intents/intents.ts';
import { look } from '../look/look.ts';
import type { Means } from '../look/means.ts';
import { runAttempt } from '../look/run-attempt.ts';
import { PaymentCallFailed } from '../ports.ts';
import type { PaymentPage } from '../schema.ts';
import { isOpen, isPaid } from '../states.ts';
import { payPage } from './layout.ts';

type Asked = Input<{ token: string }, unknown, unknown>;
type Found = Tenant & { id: string };

async function findByToken(database: Database, token: string): Promise<Found> {
  const found = await database.system((s) =>
    s.maybe<Found>(sql`
      select account_sid as "accountSid", livemode, id from payment_intents where token_hash = ${sha256(token)}`),
  );
  if (!found) throw new ApiError('NOT_FOUND');
  return found;
}

function meansOf(call: Open, tenant: Tenant): Means {
  const principal = systemPrincipal('payments:page', tenant.livemode);
  const { database, ports, site, now, requestId, log } = call;
  const context = { principal, now, requestId, log };
  return {
    ports,
    site,
    log,
    now: () => now,
    write: (work) => database.write(tenant, context, work),
    read: (work) => database.read(tenant, context, work),
  };
}

/** Leads to where it is paid, or says why it cannot be. */
export const openPay =
  (hooks: PaymentHooks) =>
  async (call: Open, input: Asked): Promise<Answer> => {
    const { id, ...tenant } = await findByToken(call.database, input.params.token);
    const means = meansOf(call, tenant);
    const url = await pageOf(means, hooks, id).catch(unlessUnavailable(means));
    if (url)
      return new Answer(303, null, {
        location: url,
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      });
    return answerState(means, input, id, url === undefined);
  };

/** Where the service leads back to: paid or not. */
export const returnFromPay =
  (hooks: PaymentHooks) =>
  async (call: Open, input: Asked): Promise<Answer> => {
    const { id, ...tenant } = await findByToken(call.database, input.params.token);
    const means = meansOf(call, tenant);
    await look(means, hooks, id).catch(unlessUnavailable(means));
    return answerState(means, input, id, false);
  };

const unlessUnavailable =
  ({ log }: Means) =>
  (error: unknown): undefined => {
    if (!(error instanceof PaymentCallFailed)) throw error;
    log.warn({ err: error }, 'the payment service does not answer');
  };

/** The address of the open page; null when there is none to be paid on. That of an invoice is made anew when it is over. */
async function pageOf(means: Means, hooks: PaymentHooks, id: string): Promise<string | null> {
  const intent = await look(means, hooks, id);
  if (!intent || !payable(intent)) return null;
  const page = await means.write((t) => openAttempt(t, id));
  if (page?.objectId === null) {
    await runAttempt(means, hooks, page.id);
    const asked = await means.read((t) => openAttempt(t, id));
    return asked?.url ?? null;
  }
  return page?.url ?? null;
}

const payable = ({ state, cancelAskedAt }: Intent) =>
  (state === 'created' || state === 'requires_action') && cancelAskedAt === null;

async function openAttempt(t: TenantTx, id: string): Promise<Attempt | null> {
  const intent = await lockIntent(t, id);
  const attempts = (await attemptsOf(t, id)).filter(({ step }) => step === 'session');
  const open = attempts.find(({ resolvedAt }) => resolvedAt === null);
  if (open || !payable(intent) || intent.invoiceSid === null) return open ?? null;
  if (await unresolvedOf(t, intent.invoiceSid)) return null;
  return addAttempt(t, intent, { step: 'session', attempt: attempts.length + 1 });
}

async function answerState(
  means: Means,
  { params, header }: Asked,
  id: string,
  unavailable: boolean,
): Promise<Answer> {
  const intent = (await means.read((t) => findIntent(t, id)))!;
  const state = stateOf(intent);
  const amount = moneyOf(intent, intent.amountMinor);
  const noStore = { 'cache-control': 'no-store', vary: 'accept, accept-language' };
  const body: PaymentPage = { object: 'payment_page', state, amount: toWire(amount) };
  if (!wantsHtml(header('accept'))) return new Answer(200, body, noStore);
  const language = languageOf(header('accept-language'));
  const shown = { amount: format(amount) };
  const href = `/pay/${encodeURIComponent(params.token)}`;
  if (state !== 'open') return payPage(200, language, state, shown);
  if (unavailable) return payPage(200, language, 'unavailable', { ...shown, link: { href, says: 'again' } });
  return payPage(200, language, 'open', { ...shown, link: { href, says: 'pay' } });
}

function stateOf({ state }: Intent): PaymentPage['state'] {
  if (isPaid(state)) return 'paid';
  if (state === 'processing') return 'processing';
  return isOpen(state) ? 'open' : (state as 'expired' | 'canceled' | 'failed');
}

/** Whatever else is refused, links that lead nowhere above all. */
export function refusalPage(
  error: ApiError,
  headers: Record<string, string | string[] | undefined>,
): Answer<string> {
  const language = languageOf(String(headers['accept-language'] ?? ''));
  return payPage(error.status, language, error.code === 'NOT_FOUND' ? 'missing' : 'unavailable');
}
