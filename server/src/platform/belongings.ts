// What modules keep of people. Each says in its manifest how its part of a person is removed, copied and searched; whoever does it for
// a whole person asks them one after another and names no table of theirs.
import type { TenantTx } from './db/database.ts';
import { type Sql, sql } from './db/query.ts';

export type PersonIdentifier = { identifierType: string; value: string; scopeRef: string | null };

/** A person as the account knows them: the contact, all merged into it, and everything they are or were known by. */
export type Person = {
  contactSid: string;
  /** The contact's SID and those of all merged into it. */
  family: string[];
  identifiers: PersonIdentifier[];
};

export type StorePage = {
  /** Where the page before ended; null at the beginning. */
  after: string | null;
  /** How many rows are looked at, at most. */
  limit: number;
};

export type CopyPage = StorePage & {
  /** Only what the person gave. */
  provided: boolean;
};

export type Erased = {
  /** How many rows were removed or blanked; one that was before is not counted again. */
  rows: number;
  /** Where to go on; null when there is nothing further. */
  next: string | null;
  /** What events, deliveries and the audit chain may tell of: SIDs and ids of what was looked at, changed or not. */
  resources?: string[];
};

export type Copied = {
  entries: object[];
  /** Where to go on; null when there is nothing further. */
  next: string | null;
  /** Those of the entries that are files and can be had: SIDs of media. */
  files?: string[];
};

/** What of a store goes into a copy for the person. Its entries have the same members in the same order. */
export type Copying = {
  /** Why it is kept, as the person is told. */
  purpose: string;
  /** Where it came from, as the person is told. */
  source: string;
  /** Where the person gave it, all of it or the part that `page.provided` asks for. */
  provided?: true;
  page(t: TenantTx, person: Person, page: CopyPage): Promise<Copied>;
};

/** From the first moment on, and before the second. */
export type Time = { from: Date; to: Date };

export type Mention = { resource: string; sid: string };

/** Something a module keeps of people. */
export type Store = {
  /** As a certificate, a copy and the reference name it, such as `messages`. */
  name: string;
  /**
   * Removes or blanks a page of what is the person's. Asked again from the beginning some time later, for what came meanwhile. Absent
   * where all of it is kept.
   */
  erase?(t: TenantTx, person: Person, page: StorePage): Promise<Erased>;
  /** Blanks what tells of, or is carried by, the person's resources, of whatever module those are. */
  forget?(t: TenantTx, resources: readonly string[]): Promise<Pick<Erased, 'rows' | 'resources'>>;
  /** Why it is kept, also in part, with the legal basis. */
  kept?: string;
  copy?: Copying;
  /**
   * Whether anything of the person in it came to be in a time: a legal hold on that time keeps it. Absent for what follows from other
   * stores, and for copies on their way.
   */
  within?(t: TenantTx, person: Person, time: Time): Promise<boolean>;
  /** What holds an identifier of the person in the words of others or of the business: reported, not changed. */
  mentions?(t: TenantTx, person: Person, page: StorePage): Promise<{ found: Mention[]; next: string | null }>;
};

/** Rows of a page as they are copied, each with the place it stands at. */
export const copied = <Row extends { place: string }>(
  rows: readonly Row[],
  { limit }: Pick<StorePage, 'limit'>,
): Copied => ({
  entries: rows.map(({ place: _, ...entry }) => entry),
  next: rows.length < limit ? null : rows.at(-1)!.place,
});

/** For a store whose rows no longer answer to the person once they are erased: it goes on at the beginning until few are left. */
export const untilFew = (rows: number, { limit }: StorePage, resources?: string[]): Erased => ({
  rows,
  next: rows < limit ? null : '',
  ...(resources && { resources }),
});

/** `moments` selects when each thing of the person came to be. */
export const cameToBe =
  (moments: (t: TenantTx, person: Person) => Sql): NonNullable<Store['within']> =>
  async (t, person, { from, to }) =>
    (await t.maybe(sql`
      select from (${moments(t, person)}) as own (at) where own.at >= ${from} and own.at < ${to} limit 1`)) !==
    undefined;

/** The person by what nobody else's words are: a username may be a word like any other. */
export const unmistakable = (person: Person): Person => ({
  ...person,
  identifiers: person.identifiers.filter(({ identifierType }) => identifierType !== 'username'),
});

/** The person also by the SIDs of their contacts, as the business and the service write of them. */
export const bySid = (person: Person): Person => ({
  ...person,
  identifiers: [
    ...person.identifiers,
    ...person.family.map((value) => ({ identifierType: 'contact', value, scopeRef: null })),
  ],
});

/** A number is looked for without its plus, as the provider writes it. */
const wordOf = ({ identifierType, value }: PersonIdentifier) =>
  identifierType === 'phone_e164' ? value.replace(/^\+/, '') : value;

const escaped = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '\\$&');

/** A condition on a text, and false for nobody: an identifier of the person stands in it, by itself. */
export function namesPerson(text: Sql, { identifiers }: Pick<Person, 'identifiers'>): Sql {
  if (identifiers.length === 0) return sql`false`;
  const words = [...new Set(identifiers.map(wordOf))].map(escaped).join('|');
  return sql`${text} ~* ${`(^|[^[:alnum:]])(${words})($|[^[:alnum:]])`}`;
}

/** Those of a few rows, or of as many as the business has written itself, whose words name the person. `rows` selects `sid` and `words`. */
export const mentioning =
  (resource: string, rows: (t: TenantTx) => Sql): NonNullable<Store['mentions']> =>
  async (t, person, { after, limit }) => {
    const found = await t.many<{ sid: string }>(sql`
      select distinct sid from (${rows(t)}) as own (sid, words)
       where ${namesPerson(sql`own.words`, person)} and sid > ${after ?? ''} order by sid limit ${limit}`);
    return {
      found: found.map(({ sid }) => ({ resource, sid })),
      next: found.length < limit ? null : found.at(-1)!.sid,
    };
  };
