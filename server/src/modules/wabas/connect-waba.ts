// How a business account comes to be connected, and how it ends. Live, somebody brings the provider's ids and a token that
// is tried before anything is stored. In the sandbox the account is made up, and its token describes it.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError, type ErrorDetail, invalid } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import {
  type Answer,
  type AnyInput,
  created,
  type Outside,
} from '../../platform/http/operations/operation.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import { audit } from '../audit/index.ts';
import { answerOf, type ProviderPhoneNumber } from '../provider/index.ts';
import { endConnection } from './connection/end-connection.ts';
import { noteSeen } from './connection-states.ts';
import { wabaEvents } from './events.ts';
import type { Sandbox, Telling, WabaHooks } from './hooks.ts';
import { unsubscribeWaba } from './jobs.ts';
import { applyListedLimit } from './limits.ts';
import { listNumbers } from './list-numbers.ts';
import { findOrCreatePortfolio, type MessagingLimit, requirePortfolio } from './portfolios.ts';
import { requestWabaFacts } from './read-waba.ts';
import { getWaba } from './resource.ts';
import type { NewWabaBody, WabaResource } from './schema.ts';
import { connectionWith, insertWaba, lockWaba, openToken, sealToken, type Waba } from './wabas.ts';

// What a business starts with at the provider. A sandbox gets what the simulated provider gives it, so that nobody tests
// against caps.
export const firstLimits = { messagingLimit: 'TIER_250', phoneNumberCap: 2 } as const satisfies Limits;
const sandboxLimits: Limits = { messagingLimit: 'TIER_UNLIMITED', phoneNumberCap: 20 };
type Limits = { messagingLimit: MessagingLimit; phoneNumberCap: number };

export type NewSandboxWaba = Telling & { name: string; senderNames: readonly string[]; portfolioId?: string };

/** A simulated business account with connected senders and approved templates: the first message can be sent at once. */
export async function openSandboxWaba(t: TenantTx, hooks: WabaHooks, input: NewSandboxWaba): Promise<Waba> {
  const joined = input.portfolioId ? await requirePortfolio(t, input.portfolioId) : null;
  const made = hooks.sandbox.newWaba(input.senderNames, joined?.providerBusinessId);
  const portfolioId =
    joined?.id ??
    (await findOrCreatePortfolio(t, {
      providerBusinessId: made.businessId,
      name: input.name,
      ...sandboxLimits,
    }));
  const { wabaId: providerWabaId, accessToken, facts } = made;
  const waba = await insertWaba(t, { portfolioId, providerWabaId, name: input.name, accessToken, facts });
  const { announced } = input;
  await hooks.numbersListed(t, waba.sid, made.phoneNumbers, { announced });
  await applyListedLimit(t, hooks, waba.sid, made.phoneNumbers, { announced });
  await hooks.templatesListed(t, waba.sid, made.templates, { announced });
  // Made up like the account: nobody needs to ask.
  await noteSeen(t, waba.sid, { token: 'VALID', subscription: 'SUBSCRIBED' });
  return waba;
}

/** A further number in the sandbox: the token of its business account now describes it too. */
export async function addSandboxNumber(t: TenantTx, sandbox: Sandbox, wabaSid: string, name: string) {
  const waba = await lockWaba(t, wabaSid, 'wabaSid');
  const held = await t.maybe<{ token: Buffer }>(sql`
    select access_token as token from wabas
     where account_sid = ${t.accountSid} and sid = ${waba.sid} and connection_state = 'CONNECTED'
       and access_token is not null`);
  if (!held) throw new ApiError('WABA_NOT_CONNECTED');
  const { accessToken, phoneNumber } = sandbox.addNumber(openToken(t, waba.sid, held.token), name);
  await t.run(sql`
    update wabas set access_token = ${sealToken(t, waba.sid, accessToken)}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and sid = ${waba.sid}`);
  return phoneNumber;
}

/** In the sandbox, or live once the provider has accepted the token and listed the numbers. */
export async function connectWaba(
  call: Outside,
  hooks: WabaHooks,
  input: NewWabaBody,
  stepUp: AnyInput['stepUp'],
): Promise<Answer<WabaResource>> {
  const { name, portfolioId } = input;
  const connected = (waba: WabaResource) =>
    created(waba, `/v1/accounts/${call.accountSid}/wabas/${waba.sid}`);
  if (!call.livemode) {
    return call.finish(async (t) => {
      await stepUp(t);
      const senderNames = [name];
      const waba = await openSandboxWaba(t, hooks, { name, senderNames, portfolioId });
      return connected(await announceConnected(t, hooks, waba.sid));
    });
  }
  const live = input as LiveFields;
  const connection = connectionWith(call, live.accessToken);
  const numbers = await listNumbers(call, connection, live.providerWabaId);
  answerOf(await call.ports.provider.subscribe(connection, live.providerWabaId));
  return call.finish(async (t) => {
    await stepUp(t);
    const { providerBusinessId, providerWabaId, accessToken } = live;
    const adopted = { name, providerBusinessId, providerWabaId, accessToken, numbers };
    return connected(await adoptWaba(t, hooks, adopted));
  });
}

export type AdoptedWaba = {
  name: string;
  providerBusinessId: string;
  providerWabaId: string;
  accessToken: string;
  /** As the provider lists them now. */
  numbers: ProviderPhoneNumber[];
};

/** A business account the provider was seen to have. What else it has is read by jobs. */
export async function adoptWaba(
  t: TenantTx,
  hooks: WabaHooks,
  { name, providerBusinessId, providerWabaId, accessToken, numbers }: AdoptedWaba,
): Promise<WabaResource> {
  const limits = t.livemode ? firstLimits : sandboxLimits;
  const portfolioId = await findOrCreatePortfolio(t, { providerBusinessId, name, ...limits });
  const waba = await insertWaba(t, { portfolioId, providerWabaId, name, accessToken });
  await hooks.numbersListed(t, waba.sid, numbers);
  await applyListedLimit(t, hooks, waba.sid, numbers);
  hooks.requestTemplates(t, waba.sid);
  requestWabaFacts(t, waba.sid);
  return announceConnected(t, hooks, waba.sid);
}

async function announceConnected(t: TenantTx, hooks: WabaHooks, sid: string): Promise<WabaResource> {
  const waba = await getWaba(t, hooks, sid);
  audit(t, { action: 'waba.connected', resource: sid, facts: { providerWabaId: waba.providerWabaId } });
  emit(t, wabaEvents.connected, waba);
  return waba;
}

/** Which fields belong to which environment. */
export function judgeWaba({ livemode }: TenantTx, input: NewWabaBody): void {
  if (livemode) refuseMissingFields(input);
  else refuseLiveFields(input);
}

const liveNames = ['providerBusinessId', 'providerWabaId', 'accessToken'] as const;

function refuseLiveFields(input: NewWabaBody): void {
  const given = liveNames.filter((field) => input[field] !== undefined);
  const issue = 'belongs to the live environment; the sandbox makes up its own';
  if (given.length > 0) throw invalid(...given.map((path) => ({ path, issue })));
}

type LiveFields = { [K in (typeof liveNames)[number]]: string };

function refuseMissingFields(input: NewWabaBody): void {
  const missing = liveNames.filter((field) => input[field] === undefined);
  const faults: ErrorDetail[] = missing.map((path) => ({
    path,
    issue: 'is required in the live environment',
  }));
  if (input.portfolioId !== undefined) {
    faults.push({ path: 'portfolioId', issue: 'belongs to the sandbox; name providerBusinessId' });
  }
  if (faults.length > 0) throw invalid(...faults);
}

/** Ends the connection. Its senders stop at once; the provider is told by a job, which then drops the token. */
export async function disconnectWaba(
  t: TenantTx,
  hooks: WabaHooks,
  sid: string,
  reason: string,
): Promise<WabaResource> {
  const waba = await lockWaba(t, sid);
  // Disconnecting twice is no error: the caller has what it asked for, and nothing new is announced.
  if (waba.connectionState === 'DISCONNECTED') return getWaba(t, hooks, sid);
  await endConnection(t, hooks, sid, reason);
  audit(t, { action: 'waba.disconnected', resource: sid, facts: { reason } });
  enqueue(t, unsubscribeWaba, { wabaSid: sid });
  return getWaba(t, hooks, sid);
}
