// What simulated customers see and do, as far as they talk with the senders of one sandbox. Nothing of it is kept here: the
// simulator is asked, and what a customer does comes back as the provider tells of it.
import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError, type ErrorDetail, invalid } from '../../platform/errors/errors.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import type { Outside, Part } from '../../platform/http/operations/operation.ts';
import type { PageOf, Pager } from '../../platform/http/operations/pagination.ts';
import { isSid } from '../../platform/ids.ts';
import { numbersInUse, reachSender } from '../senders/index.ts';
import type { PhoneAnswer, PhoneMessage, PhoneRow } from './ports.ts';
import {
  captioned,
  type PreferOnPhone,
  type PressOnPhone,
  type SandboxPhone,
  type SandboxPhoneMessage,
  type SandboxPhoneScreen,
  type WriteOnPhone,
} from './schema.ts';

/** The account's senders by what the provider calls their numbers. */
type Senders = ReadonlyMap<string, string>;

/** There is nobody's phone in live: whoever comes with a live credential is refused before anything is looked up. */
function sendersOf(call: Outside, senderSid?: string): Promise<Senders> {
  refuseLive(call);
  return call.read(async (t) => {
    const numbers = await numbersInUse(t);
    const chosen = senderSid === undefined ? numbers : numbers.filter(({ sid }) => sid === senderSid);
    if (senderSid !== undefined && chosen.length === 0) throw noSender();
    return new Map(chosen.map(({ sid, phoneNumberId }) => [phoneNumberId, sid]));
  });
}

function refuseLive({ livemode }: { livemode: boolean }): void {
  if (livemode) throw new ApiError('AUTHORIZATION_ERROR', { message: 'Only a sandbox has phones.' });
}

const noSender = () =>
  new ApiError('NOT_FOUND', {
    details: [{ path: 'senderSid', issue: 'is no sender in use of this account and environment' }],
  });

/** The simulator's answer, or the error that says it is away. Repeating is safe: what a customer does has a name. */
function said<T>(answer: PhoneAnswer<T>): T {
  if (answer.ok) return answer.value;
  throw new ApiError('PROVIDER_TEMPORARY_ERROR', {
    message: 'The simulated provider of this sandbox did not do what it was asked.',
    details: [{ path: 'provider', issue: answer.reason }],
  });
}

const placeOf = ({ site }: Outside) => site.provider.sandbox;
const digitsOf = (phoneNumber: string) => phoneNumber.replace('+', '');

export async function listPhones(call: Outside, pager: Pager): Promise<PageOf<SandboxPhone>> {
  const senders = await sendersOf(call);
  const [lastMs, waId] = pager.after ?? [];
  const rows = said(
    await call.ports.sandboxPhones.list(placeOf(call), {
      numbers: [...senders.keys()],
      limit: pager.fetch,
      ...(waId !== undefined && { after: { lastMs: Number(lastMs), waId: String(waId) } }),
    }),
  );
  return pager.page(
    rows,
    (row) => [row.lastMs, row.waId],
    (row) => phoneOf(call, senders, row),
  );
}

const phoneOf = (call: Outside, senders: Senders, row: PhoneRow): SandboxPhone => ({
  object: 'sandbox_phone',
  accountSid: call.accountSid,
  livemode: call.livemode,
  phoneNumber: `+${row.waId}`,
  name: row.name,
  senderSids: row.phoneNumberIds.flatMap((id) => senders.get(id) ?? []),
  lastMessageAt: new Date(row.lastMs).toISOString(),
});

type Wanted = { phoneNumber: string; senderSid?: string; limit?: number };

export async function readPhone(call: Outside, wanted: Wanted): Promise<SandboxPhoneScreen> {
  return screenOf(call, await sendersOf(call, wanted.senderSid), wanted);
}

async function screenOf(
  call: Outside,
  senders: Senders,
  { phoneNumber, limit = 50 }: Wanted,
): Promise<SandboxPhoneScreen> {
  const screen = said(
    await call.ports.sandboxPhones.read(placeOf(call), {
      from: digitsOf(phoneNumber),
      numbers: [...senders.keys()],
      limit,
    }),
  );
  return {
    object: 'sandbox_phone_screen',
    accountSid: call.accountSid,
    livemode: call.livemode,
    phoneNumber: `+${screen.waId}`,
    name: screen.name,
    marketingStoppedFor: screen.stopped.flatMap((id) => senders.get(id) ?? []),
    messages: screen.messages.flatMap((message) => shown(senders, message)),
  };
}

function shown(senders: Senders, message: PhoneMessage): SandboxPhoneMessage[] {
  const { phoneNumberId, opaque, atMs, state, ...rest } = message;
  const senderSid = senders.get(phoneNumberId);
  if (senderSid === undefined) return [];
  const messageSid = opaque !== null && isSid('SM', opaque) ? opaque : null;
  return [
    {
      ...rest,
      senderSid,
      messageSid,
      state: state as SandboxPhoneMessage['state'],
      at: new Date(atMs).toISOString(),
    },
  ];
}

export function issuesOfWriting({ type = 'TEXT', text }: Part<WriteOnPhone>, refused: ReadonlySet<string>) {
  const issues: ErrorDetail[] = [];
  if (refused.has('text') || refused.has('type')) return issues;
  if (type === 'TEXT' && text === undefined)
    issues.push({ path: 'text', issue: 'is required in a message of text' });
  if (type !== 'TEXT' && !captioned.includes(type) && text !== undefined)
    issues.push({ path: 'text', issue: `does not go with ${type}, which has no words` });
  return issues;
}

export async function writeOnPhone(
  call: Outside,
  phoneNumber: string,
  { senderSid, type = 'TEXT', text, answers }: WriteOnPhone,
  key: string,
): Promise<SandboxPhoneScreen> {
  const { connection, to, senders } = await way(call, senderSid);
  const from = digitsOf(phoneNumber);
  const message = {
    ...{ from, to, id: nameOf(call, phoneNumber, key), type: type.toLowerCase() },
    ...(text !== undefined && { text }),
    ...(answers !== undefined && { context: { id: answers } }),
  };
  said(await call.ports.sandboxPhones.write(connection, message));
  return screenOf(call, senders, { phoneNumber });
}

/** What the same request, made again, calls the message: the provider's reports are taken once for each name. */
const nameOf = ({ accountSid }: Outside, phoneNumber: string, key: string) =>
  `wamid.${Buffer.from(sha256Hex(JSON.stringify([accountSid, digitsOf(phoneNumber), key])), 'hex').toString('base64')}`;

/** The way to one sender, and all senders for what the phone shows afterwards. */
async function way(call: Outside, senderSid: string) {
  const senders = await sendersOf(call);
  if (![...senders.values()].includes(senderSid)) throw noSender();
  const { connection, phoneNumberId } = await call.read((t: TenantTx) => reachSender(t, senderSid));
  return { connection, to: phoneNumberId, senders };
}

const refusals = {
  message: { path: 'messageId', issue: 'is no message from a sender of this account on this phone' },
  button: { path: 'button', issue: 'is no button of this message' },
  answer: { path: 'button', issue: 'is a button that answers nothing; only those of the kind REPLY do' },
};

export async function pressOnPhone(
  call: Outside,
  phoneNumber: string,
  { messageId, button }: PressOnPhone,
  key: string,
): Promise<SandboxPhoneScreen> {
  const senders = await sendersOf(call);
  const refused = said(
    await call.ports.sandboxPhones.press(placeOf(call), {
      from: digitsOf(phoneNumber),
      numbers: [...senders.keys()],
      id: nameOf(call, phoneNumber, key),
      messageId,
      button,
    }),
  );
  if (refused) throw invalid(refusals[refused]);
  return screenOf(call, senders, { phoneNumber });
}

export async function preferOnPhone(
  call: Outside,
  phoneNumber: string,
  { senderSid, marketing }: PreferOnPhone,
): Promise<SandboxPhoneScreen> {
  const { connection, to, senders } = await way(call, senderSid);
  const value = marketing === 'STOP' ? 'stop' : 'resume';
  said(await call.ports.sandboxPhones.prefer(connection, { from: digitsOf(phoneNumber), to, value }));
  return screenOf(call, senders, { phoneNumber });
}
