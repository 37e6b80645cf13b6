// New numbers, and what is asked of the provider about a number. Live numbers come with their business account; the sandbox
// makes them up.
import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import type { Outside } from '../../platform/http/operations/operation.ts';
import { audit } from '../audit/index.ts';
import { answerOf, type BusinessProfile, type Connection } from '../provider/index.ts';
import {
  addSandboxNumber,
  connectionOf,
  lockPortfolioOf,
  onlyConnectedWaba,
  requestWabaFacts,
  type Sandbox,
} from '../wabas/index.ts';
import { announceJoined, bringUpToDate, joinNumber } from './apply-listing.ts';
import { senderEvents } from './events.ts';
import { requestFlowKey } from './read-flow-key.ts';
import { getSender, readSender } from './resource.ts';
import type { BusinessProfileResource, NewSimulatedSender, SenderResource } from './schema.ts';
import { changeSender, lockSender, requireSender, type Sender, sendersOfWabas } from './senders.ts';

export async function connectSimulatedSender(
  t: TenantTx,
  sandbox: Sandbox,
  input: NewSimulatedSender,
): Promise<SenderResource> {
  if (t.livemode) throw new ApiError('ONBOARDING_NOT_PERMITTED');
  const wabaSid = input.wabaSid ?? (await onlyConnectedWaba(t))?.sid;
  if (!wabaSid) {
    const issue = 'is required, for the account does not have exactly one that is connected';
    throw new ApiError('VALIDATION_ERROR', { details: [{ path: 'wabaSid', issue }] });
  }
  await refuseOverCap(t, wabaSid);
  const number = await addSandboxNumber(t, sandbox, wabaSid, input.displayName);
  const sender = await announceJoined(t, await joinNumber(t, wabaSid, number));
  audit(t, { action: 'sender.connected', resource: sender.sid, facts: { wabaSid } });
  return sender;
}

const gone = new Set(['DISCONNECTED', 'DELETED', 'MIGRATED']);

/** Numbers are counted over the whole portfolio, under its lock: two at once cannot both take the last place. */
export async function refuseOverCap(t: TenantTx, wabaSid: string): Promise<void> {
  const { phoneNumberCap, wabaSids } = await lockPortfolioOf(t, wabaSid);
  const senders = await sendersOfWabas(t, wabaSids);
  if (senders.filter(({ status }) => !gone.has(status)).length >= phoneNumberCap) {
    throw new ApiError('PHONE_NUMBER_CAP_REACHED');
  }
}

/** The senders of a business account whose connection ended. */
export async function disconnectSenders(
  t: TenantTx,
  wabaSid: string,
  reason: string,
  toldAt: Date,
): Promise<void> {
  for (const { sid } of await sendersOfWabas(t, [wabaSid])) {
    const sender = await lockSender(t, sid);
    if (gone.has(sender.status)) continue;
    const word = { about: 'all', saidAt: t.now, reason } as const;
    const changed = await changeSender(t, sender, { status: 'DISCONNECTED' }, word);
    if (changed) emit(t, senderEvents.disconnected, await readSender(t, changed), toldAt);
  }
}

type Reached = { connection: Connection; phoneNumberId: string; sender: Sender };

/** The sender and the way to its provider, or why there is none. */
export async function reachSender(t: TenantTx, senderSid: string): Promise<Reached> {
  const sender = await requireSender(t, senderSid);
  const connection = sender.wabaSid ? await connectionOf(t, sender.wabaSid) : null;
  if (!connection || !sender.providerPhoneNumberId) throw new ApiError('WABA_NOT_CONNECTED');
  return { connection, phoneNumberId: sender.providerPhoneNumberId, sender };
}

/** Reads the number at the provider and stores what it says. */
export async function refreshSender(call: Outside, senderSid: string): Promise<SenderResource> {
  const { connection, phoneNumberId } = await call.read((t) => reachSender(t, senderSid));
  const number = answerOf(await call.ports.provider.getPhoneNumber(connection, phoneNumberId));
  return call.write(async (t) => {
    const sender = await lockSender(t, senderSid);
    await bringUpToDate(t, sender, number);
    requestFlowKey(t, senderSid);
    if (sender.wabaSid) requestWabaFacts(t, sender.wabaSid);
    return getSender(t, senderSid);
  });
}

const toProfile = (t: Outside, senderSid: string, profile: BusinessProfile): BusinessProfileResource => ({
  object: 'business_profile',
  senderSid,
  accountSid: t.accountSid,
  livemode: t.livemode,
  about: profile.about ?? null,
  address: profile.address ?? null,
  description: profile.description ?? null,
  email: profile.email ?? null,
  websites: profile.websites ?? [],
  vertical: profile.vertical ?? null,
});

export async function getProfile(call: Outside, senderSid: string): Promise<BusinessProfileResource> {
  const { connection, phoneNumberId } = await call.read((t) => reachSender(t, senderSid));
  const profile = answerOf(await call.ports.provider.getBusinessProfile(connection, phoneNumberId));
  return toProfile(call, senderSid, profile);
}

/** Writes what is given and answers with the whole profile as the provider now has it. */
export async function updateProfile(
  call: Outside,
  senderSid: string,
  change: BusinessProfile,
): Promise<BusinessProfileResource> {
  const { connection, phoneNumberId } = await call.read((t) => reachSender(t, senderSid));
  answerOf(await call.ports.provider.updateBusinessProfile(connection, phoneNumberId, change));
  await call.write(async (t) => {
    audit(t, {
      action: 'sender.profile_updated',
      resource: senderSid,
      facts: { fields: Object.keys(change) },
    });
  });
  return getProfile(call, senderSid);
}
