// Changes of contacts, of one or of many at once: each with its own end, in a constant number of statements.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { ApiError, type ErrorDetail, invalid } from '../../platform/errors/errors.ts';
import { emit } from '../../platform/events.ts';
import { roundsOf } from '../../platform/queue/rounds.ts';
import { type Attributes, judgeAttributes, namesToRemove, withoutNulls } from './attributes.ts';
import { changedAttributes, lockContacts, readContacts, refreshSearch, touched } from './contacts.ts';
import { contactEvents } from './events.ts';
import { fieldList, fieldNames, judgeFields, searchedNames } from './fields.ts';
import type { ContactHooks } from './hooks.ts';
import { restrictedConflict, restrictionsOf } from './restrictions.ts';
import type { Contact, ContactChange } from './schema.ts';

export type ContactEdit = { contactSid: string; change: ContactChange };
type Hooks = Pick<ContactHooks, 'consentsOf'>;
type Options = {
  /** For whoever corrects what is kept of a person: restricted or not. */
  rectifies?: boolean;
};
type Ends = Map<ContactEdit, Contact | ApiError>;

export async function changeContact(
  t: TenantTx,
  hooks: Hooks,
  contactSid: string,
  change: ContactChange,
  options: Options = {},
): Promise<Contact> {
  const [end] = await changeContacts(t, hooks, [{ contactSid, change }], options);
  if (end instanceof ApiError) throw end;
  return end!;
}

/** The contact of each edit as it is then, or why the edit was refused. Edits of one contact follow one another. */
export async function changeContacts(
  t: TenantTx,
  hooks: Hooks,
  edits: readonly ContactEdit[],
  options: Options = {},
): Promise<(Contact | ApiError)[]> {
  const ends: Ends = new Map();
  for (const round of roundsOf(edits, ({ contactSid }) => contactSid)) {
    for (const [edit, end] of await changeEach(t, hooks, round, options)) ends.set(edit, end);
  }
  return edits.map((edit) => ends.get(edit)!);
}

async function changeEach(
  t: TenantTx,
  hooks: Hooks,
  edits: ContactEdit[],
  { rectifies = false }: Options,
): Promise<Ends> {
  const refused = new Map<ContactEdit, ApiError>();
  const refuse = (judge: (edit: ContactEdit) => ApiError | undefined) => {
    for (const edit of left()) {
      const refusal = judge(edit);
      if (refusal) refused.set(edit, refusal);
    }
  };
  const left = () => edits.filter((edit) => !refused.has(edit));
  const sidsLeft = () => left().map(({ contactSid }) => contactSid);
  refuse(({ change }) => asError(issuesOfChange(change)));
  const unlocked = await lockContacts(t, sidsLeft());
  refuse(({ contactSid }) => unlocked.get(contactSid));
  const restrictions = rectifies ? new Map<string, string>() : await restrictionsOf(t, sidsLeft());
  refuse(({ contactSid }) => {
    const requestSid = restrictions.get(contactSid);
    return requestSid === undefined ? undefined : restrictedConflict(contactSid, requestSid);
  });
  const looks = await lookAt(t, left().filter(needsLook));
  refuse(({ contactSid, change }) => judgeLook(looks.get(contactSid), change));
  const sids = sidsLeft();
  const applied = left().filter(({ change }) => changes(change));
  await apply(t, applied);
  const contacts = new Map(
    sids.length === 0 ? [] : (await readContacts(t, hooks, sids)).map((one) => [one.sid, one]),
  );
  for (const { contactSid } of applied) emit(t, contactEvents.updated, contacts.get(contactSid)!);
  return new Map(edits.map((edit) => [edit, refused.get(edit) ?? contacts.get(edit.contactSid)!]));
}

const changes = (change: ContactChange) =>
  change.attributes !== undefined || fieldNames.some((name) => change[name] !== undefined);

/** What is wrong with a change, whoever it is to. */
export const issuesOfChange = (change: Omit<ContactChange, 'expectedUpdatedAt'>): ErrorDetail[] => [
  ...judgeFields(change),
  ...judgeAttributes(change.attributes ?? {}),
];

const asError = (details: Parameters<typeof invalid>) =>
  details.length > 0 ? invalid(...details) : undefined;

const itemOf = ({ contactSid, change: { attributes = {}, expectedUpdatedAt, ...fields } }: ContactEdit) => ({
  sid: contactSid,
  expected: expectedUpdatedAt,
  fields,
  added: withoutNulls(attributes),
  removed: namesToRemove(attributes),
});

const itemsOf = (edits: ContactEdit[]) => sql`json_to_recordset(${JSON.stringify(edits.map(itemOf))}::json)
  as item (sid text, expected timestamptz, fields jsonb, added jsonb, removed text[])`;

const after = changedAttributes(sql`c.attributes`, sql`item.added`, sql`item.removed`);

const needsLook = ({ change }: ContactEdit) =>
  change.attributes !== undefined || change.expectedUpdatedAt !== undefined;

type Look = { attributes: Attributes; updatedAt: string; isStale: boolean };

/** What the attributes would be, made by the database, which keeps numbers that are too long for ours; and whether somebody changed them since. */
async function lookAt(t: TenantTx, edits: ContactEdit[]): Promise<Map<string, Look>> {
  if (edits.length === 0) return new Map();
  const rows = await t.many<Look & { sid: string }>(sql`
    select c.sid, ${after} as attributes, c.updated_at as "updatedAt",
      coalesce(c.updated_at <> item.expected, false) as "isStale"
      from contacts c join ${itemsOf(edits)} on item.sid = c.sid
     where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode}`);
  return new Map(rows.map((row) => [row.sid, row]));
}

function judgeLook(look: Look | undefined, { attributes }: ContactChange): ApiError | undefined {
  if (!look) return undefined;
  if (look.isStale) {
    return new ApiError('CONFLICT', {
      message: `The contact was changed since; it is now of ${look.updatedAt}.`,
      details: [{ path: 'expectedUpdatedAt', issue: `the contact was last updated at ${look.updatedAt}` }],
    });
  }
  return attributes === undefined ? undefined : asError(judgeAttributes(look.attributes));
}

async function apply(t: TenantTx, edits: ContactEdit[]): Promise<void> {
  if (edits.length === 0) return;
  const fields = fieldList(
    (column, name) =>
      sql`${column} = case when item.fields ? ${name} then item.fields ->> ${name} else c.${column} end`,
  );
  await t.run(sql`
    update contacts c set ${fields}, attributes = ${after}, updated_at = ${touched(t)}
      from ${itemsOf(edits)}
     where c.account_sid = ${t.accountSid} and c.livemode = ${t.livemode} and c.sid = item.sid`);
  const renamed = edits.filter(({ change }) => searchedNames.some((name) => change[name] !== undefined));
  if (renamed.length === 0) return;
  await refreshSearch(
    t,
    renamed.map(({ contactSid }) => contactSid),
  );
}
