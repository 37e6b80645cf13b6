// Reads a callback's body. Whatever in it is understood becomes a typed change; the rest is named and left alone, so that
// a new field of the provider's never stops the old ones.
import type { Address, ReadCallback, ReadChange } from '../../../modules/provider/index.ts';
import { sha256Hex } from '../../../platform/hashing.ts';
import { type Fields, fieldsOf, idOf, instantOf, listOf, parseJson, textOf } from '../reading.ts';
import {
  readAccountUpdate,
  readFlowUpdate,
  readPhoneNumberUpdate,
  readTemplateUpdate,
} from './account-changes.ts';
import type { Change } from './change.ts';
import { readInbound } from './inbound.ts';
import { readUserIdUpdate, readUserPreference } from './people.ts';
import { readStatus } from './statuses.ts';

type Found = { changes: ReadChange[]; unknown: string[] };

export function readCallback(body: Buffer, receivedAt: Date): ReadCallback | null {
  const envelope = fieldsOf(parseJson(body));
  if (!Array.isArray(envelope.entry)) return null;
  const found: Found = { changes: [], unknown: [] };
  if (envelope.object !== 'whatsapp_business_account')
    found.unknown.push(`object ${textOf(envelope.object)}`);
  else for (const entry of envelope.entry) readEntry(fieldsOf(entry), receivedAt, found);
  return found;
}

function readEntry(entry: Fields, receivedAt: Date, found: Found): void {
  const wabaId = idOf(entry.id) ?? '';
  const time = instantOf(entry.time);
  for (const raw of listOf(entry.changes)) {
    const { field, value } = fieldsOf(raw);
    const change = { field: textOf(field) ?? 'none', value: fieldsOf(value), wabaId, time, receivedAt };
    try {
      readChange(change, found);
    } catch {
      // Nothing here should throw; what does is hostile, such as a value nested without end.
      found.unknown.push(`${change.field}: unreadable`);
    }
  }
}

function readChange(change: Change, found: Found): void {
  const read = Object.hasOwn(readers, change.field) ? readers[change.field] : undefined;
  if (read) read(change, found);
  else found.unknown.push(change.field.slice(0, maxName));
}

type Reader = (change: Change, found: Found) => void;

/** Changes of a whole business account: one for each value. */
const ofAccount =
  <K extends ReadChange['kind']>(kind: K, read: (change: Change) => ItemOf<K> | null): Reader =>
  (change, found) => {
    const item = read(change);
    if (!item) return void found.unknown.push(`${change.field}: incomplete`);
    const { field, value, time } = change;
    const key = `${field}:${sha256Hex(JSON.stringify(value))}`;
    add(found, { kind, address: { wabaId: accountOf(change) }, key, occurredAt: time, item });
  };

/** What happened to a partner's customer stands under the portfolio, and names the account inside. */
const accountOf = ({ value, wabaId }: Change) => idOf(fieldsOf(value.waba_info).waba_id) ?? wabaId;

const readers: Record<string, Reader> = {
  messages: readMessages,
  message_template_status_update: ofAccount('templateUpdates', readTemplateUpdate),
  message_template_quality_update: ofAccount('templateUpdates', readTemplateUpdate),
  template_category_update: ofAccount('templateUpdates', readTemplateUpdate),
  message_template_components_update: ofAccount('templateUpdates', readTemplateUpdate),
  phone_number_quality_update: ofAccount('phoneNumberUpdates', readPhoneNumberUpdate),
  phone_number_name_update: ofAccount('phoneNumberUpdates', readPhoneNumberUpdate),
  security: ofAccount('phoneNumberUpdates', readPhoneNumberUpdate),
  business_username_update: ofAccount('phoneNumberUpdates', readPhoneNumberUpdate),
  account_update: ofAccount('accountUpdates', readAccountUpdate),
  account_review_update: ofAccount('accountUpdates', readAccountUpdate),
  business_capability_update: ofAccount('accountUpdates', readAccountUpdate),
  account_alerts: ofAccount('accountUpdates', readAccountUpdate),
  flows: ofAccount('flowUpdates', readFlowUpdate),
  user_preferences: (change, found) =>
    eachOf(change, found, 'user_preferences', (raw, address) => {
      const item = readUserPreference(raw, change);
      if (!item) return null;
      const { waId, bsuid } = item.user;
      const key = `preference:${waId ?? bsuid}:${item.category}:${item.value}`;
      return { kind: 'userPreferences', address, key, occurredAt: instantOf(raw.timestamp), item };
    }),
  user_id_update: (change, found) =>
    eachOf(change, found, 'user_id_update', (raw, address) => {
      const item = readUserIdUpdate(raw, change);
      if (!item) return null;
      const key = `user-id:${item.waId}:${item.previousBsuid}:${item.currentBsuid}`;
      return { kind: 'userIdUpdates', address, key, occurredAt: instantOf(raw.timestamp), item };
    }),
};

function readMessages(change: Change, found: Found): void {
  eachOf(change, found, 'statuses', (raw, address) => {
    const item = readStatus(raw, change);
    if (!item) return null;
    const key = `status:${item.providerMessageId}:${item.status}`;
    return { kind: 'statuses', address, key, occurredAt: instantOf(raw.timestamp), item };
  });
  eachOf(change, found, 'messages', (raw, address) => {
    const item = readInbound(raw, change);
    if (!item) return null;
    const key = `message:${item.providerMessageId}`;
    return { kind: 'inbound', address, key, occurredAt: instantOf(raw.timestamp), item };
  });
  const { value } = change;
  const known = ['statuses', 'messages'].filter((name) => Array.isArray(value[name]));
  const others = Object.keys(value).filter((name) => Array.isArray(value[name]) && !around.has(name));
  if (known.length === 0) found.unknown.push(`messages: ${others[0] ?? 'nothing'}`.slice(0, maxName));
}

/** Beside the changes themselves. */
const around = new Set(['contacts', 'messages', 'statuses']);
const maxName = 100;

/** Changes of one phone number: one for each member of a list. */
function eachOf(
  change: Change,
  found: Found,
  name: string,
  read: (raw: Fields, address: Address) => ReadChange | null,
): void {
  const list = change.value[name];
  if (!Array.isArray(list)) return;
  const phoneNumberId = idOf(fieldsOf(change.value.metadata).phone_number_id);
  for (const raw of list) {
    const understood = phoneNumberId === null ? null : read(fieldsOf(raw), { phoneNumberId });
    if (understood) found.changes.push(understood);
    else found.unknown.push(`${name}: incomplete`);
  }
}

type ItemOf<K extends ReadChange['kind']> = Extract<ReadChange, { kind: K }>['item'];

function add<K extends ReadChange['kind']>(
  found: Found,
  change: { kind: K; address: Address; key: string; occurredAt: Date | null; item: ItemOf<K> },
): void {
  found.changes.push(change as ReadChange);
}
