// One callback body out of several updates: an entry per WABA, a change per number and kind.

type Item = Record<string, unknown>;

export type Update = {
  wabaId: string;
  onAnswer?: (ok: boolean) => void;
  onLost?: () => void;
} & (
  | {
      field: 'messages';
      kind: 'statuses' | 'messages' | 'errors' | 'user_actions';
      number: { id: string; number: string };
      item: Item;
      contact?: Item;
    }
  /** Any other field carries its value whole, and the time of the entry. */
  | { field: string; kind: 'value'; value: Item; timeS: number; entryId?: string }
);

type Change = { field: string; value: Item };
type Entry = { id: string; time?: number; changes: Change[] };

export function buildBody(updates: Update[]) {
  const entries = new Map<string, Entry>();
  const gathered = new Map<string, { items: Item[]; contacts: Item[]; seen: Set<unknown> }>();
  for (const update of updates) {
    if (update.kind === 'value') {
      const id = update.entryId ?? update.wabaId;
      const key = `${id}@${update.timeS}`;
      const entry = entries.get(key) ?? { id, time: update.timeS, changes: [] };
      entries.set(key, entry);
      entry.changes.push({ field: update.field, value: update.value });
      continue;
    }
    const { wabaId, number, kind, item, contact } = update;
    const key = `${number.id}/${kind}`;
    let group = gathered.get(key);
    if (!group) {
      group = { items: [], contacts: [], seen: new Set() };
      gathered.set(key, group);
      const entry = entries.get(wabaId) ?? { id: wabaId, changes: [] };
      entries.set(wabaId, entry);
      entry.changes.push({ field: 'messages', value: changeValue(number, kind, group) });
    }
    group.items.push(item);
    const who = contact && (contact.wa_id ?? contact.user_id);
    if (contact && !group.seen.has(who)) {
      group.seen.add(who);
      group.contacts.push(contact);
    }
  }
  return { object: 'whatsapp_business_account', entry: [...entries.values()].map(withoutEmptyContacts) };
}

function changeValue(
  number: { id: string; number: string },
  kind: string,
  group: { items: Item[]; contacts: Item[] },
) {
  return {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: number.number, phone_number_id: number.id },
    contacts: group.contacts,
    [kind]: group.items,
  };
}

// A failed status and a system message come without contacts, not with an empty list of them.
function withoutEmptyContacts(entry: Entry): Entry {
  for (const { field, value } of entry.changes) {
    if (field === 'messages' && (value.contacts as Item[]).length === 0) delete value.contacts;
  }
  return entry;
}
