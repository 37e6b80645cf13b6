// The journal of erasures, beside the media and outside the database: what a restored database needs to forget again whom it had
// forgotten. An entry holds SIDs and keyed hashes, nothing people are known by, and is sealed so that nobody can write one.
import { buffer } from 'node:stream/consumers';
import type { Person } from '../../../platform/belongings.ts';
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { TenantJobContext } from '../../../platform/jobs/jobs.ts';
import type { Ports } from '../../../platform/ports.ts';
import { SealBroken, type Sealer } from '../../../platform/sealing.ts';
import { standingOptOut } from '../../consent/index.ts';
import { type HashedOptOut, hashOptOut, type Identifier } from '../../contacts/index.ts';

export type JournalEntry = {
  requestSid: string;
  accountSid: string;
  livemode: boolean;
  contactSid: string;
  /** The contact and all that were merged into it. */
  family: string[];
  begunAt: string;
  /** What the person had forbidden; null for nothing. */
  optOut: HashedOptOut | null;
};

const folder = 'privacy-journal/';
const nameOf = ({
  accountSid,
  livemode,
  requestSid,
}: Pick<JournalEntry, 'accountSid' | 'livemode' | 'requestSid'>) =>
  `${folder}${livemode ? 'live' : 'sandbox'}/${accountSid}/${requestSid}`;
const contextOf = (name: string) => `privacy journal:${name}`;

/**
 * Writes down that a person is about to be erased, before anything of them is. Doing it again replaces the same entry, so that work
 * which begins anew may.
 */
export async function journalErasure(
  { ports, sealer, write }: Pick<TenantJobContext, 'ports' | 'sealer' | 'write'>,
  requestSid: string,
  person: Person,
): Promise<void> {
  const entry = await write((t) => entryFor(t, requestSid, person));
  const name = nameOf(entry);
  const sealed = sealer.seal(JSON.stringify(entry), contextOf(name));
  await ports.mediaStore.put(name, await ports.spool.fill(onePiece(sealed)));
}

async function* onePiece(piece: Buffer) {
  yield piece;
}

async function entryFor(t: TenantTx, requestSid: string, person: Person): Promise<JournalEntry> {
  const { contactSid, family, identifiers } = person;
  return {
    requestSid,
    accountSid: t.accountSid,
    livemode: t.livemode,
    contactSid,
    family,
    begunAt: t.now.toISOString(),
    optOut: await hashOptOut(t, identifiers as Identifier[], await standingOptOut(t, family)),
  };
}

type Reading = { ports: Pick<Ports, 'mediaStore'>; sealer: Sealer };

/** Every entry with its name, in no order; null for one that this installation did not write, or that was changed. */
export async function* readJournal({
  ports,
  sealer,
}: Reading): AsyncGenerator<{ name: string; entry: JournalEntry | null }> {
  for await (const name of ports.mediaStore.list(folder)) {
    const sealed = await buffer(await ports.mediaStore.open(name));
    yield { name, entry: opened(sealer, sealed, name) };
  }
}

function opened(sealer: Sealer, sealed: Buffer, name: string): JournalEntry | null {
  try {
    return JSON.parse(sealer.open(sealed, contextOf(name)).toString()) as JournalEntry;
  } catch (error) {
    if (error instanceof SealBroken) return null;
    throw error;
  }
}

const own = (t: TenantTx, requestSid: string) =>
  sql`account_sid = ${t.accountSid} and livemode = ${t.livemode} and request_sid = ${requestSid}`;

export async function isJournaled(t: TenantTx, requestSid: string): Promise<boolean> {
  const found = await t.maybe(
    sql`select from erasures where ${own(t, requestSid)} and journaled_at is not null`,
  );
  return found !== undefined;
}

export const noteJournaled = (t: TenantTx, requestSid: string): Promise<number> =>
  t.run(sql`update erasures set journaled_at = ${t.now} where ${own(t, requestSid)}`);
