// What a restored database does about an entry of the journal: it takes back what the person had forbidden, and forgets them again.
import type { TenantTx } from '../../platform/db/database.ts';
import { consentsOf } from '../consent/index.ts';
import { readContacts, takeHashed } from '../contacts/index.ts';
import { createRequest } from './create-request.ts';
import type { JournalEntry } from './journal/journal.ts';
import { openRequestsOf } from './requests.ts';

export type Replayed = {
  /** The requests that erase again whom the backup brought back. */
  requestSids: string[];
  /** Those that are erased anyway, by a request that is open. */
  underWay: string[];
  /** Hashes of what was forbidden are of no use here: the account has made another key since. */
  optOutLost: boolean;
};

/** The contacts of an entry that are here and not erased. */
export async function broughtBack(t: TenantTx, { family }: JournalEntry): Promise<string[]> {
  const found = await readContacts(t, { consentsOf }, family);
  return found.filter(({ status }) => status !== 'ERASED').map(({ sid }) => sid);
}

export async function replayEntry(t: TenantTx, entry: JournalEntry): Promise<Replayed> {
  // First, so that whoever writes meanwhile finds their no.
  const optOutLost = entry.optOut !== null && !(await takeHashed(t, entry.optOut));
  const replayed: Replayed = { requestSids: [], underWay: [], optOutLost };
  for (const contactSid of await broughtBack(t, entry)) {
    const open = await openRequestsOf(t, [contactSid, ...entry.family]);
    const erasure = open.find(({ kind }) => kind === 'ERASURE');
    if (erasure) replayed.underWay.push(erasure.sid);
    else replayed.requestSids.push((await eraseAgain(t, contactSid, entry)).sid);
  }
  return replayed;
}

const eraseAgain = (t: TenantTx, contactSid: string, { requestSid }: JournalEntry) =>
  createRequest(t, {
    kind: 'ERASURE',
    subject: { contactSid },
    reason: `Erased before by ${requestSid}, and restored from a backup.`,
  });
