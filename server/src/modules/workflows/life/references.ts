// Looks up everything a definition names. What belongs to another account is as unknown as what does not exist.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { ErrorDetail } from '../../../platform/errors/errors.ts';
import { activeAmong } from '../../identity/index.ts';
import { inboxExists } from '../../inboxes/index.ts';
import { loadMedia } from '../../media/index.ts';
import { segmentsAmong } from '../../segments/index.ts';
import { loadSenders, openPools, type SenderStatus } from '../../senders/index.ts';
import { findFlows, loadDrafts, type TemplateStatus, templatesNamed } from '../../templates/index.ts';
import { findStatusCallbacks } from '../../webhooks/index.ts';
import type { Reference, ReferenceKind } from '../analysis/references.ts';

const unknown = (what: string) => `is no ${what} of this account and environment`;
const among = (what: string, found: { has(sid: string): boolean }) => (sid: string) =>
  found.has(sid) ? null : unknown(what);

/** Why each of these SIDs cannot be used; null for one that can. */
type Looked = (sid: string) => string | null;
type Look = (t: TenantTx, sids: string[]) => Promise<Looked>;

/** What a sender does not come back from by itself. */
const gone: ReadonlySet<SenderStatus> = new Set(['DISCONNECTED', 'BANNED', 'DELETED', 'MIGRATED']);

const looks: Record<ReferenceKind, Look> = {
  content: async (t, sids) => among('reusable content', await loadDrafts(t, sids)),
  senderPool: async (t, sids) => among('sender pool', await openPools(t, sids, { lock: false })),
  segment: async (t, sids) => among('segment', await segmentsAmong(t, sids)),
  user: async (t, sids) => among('person', new Set(await activeAmong(t, sids))),
  async media(t, sids) {
    const found = await loadMedia(t, sids);
    return (sid) => stateIssue('media', found.get(sid)?.status, (status) => status === 'READY');
  },
  async flow(t, sids) {
    const found = await findFlows(t, sids);
    const sendable = (status: string) => status === 'PUBLISHED' || status === 'THROTTLED';
    return (sid) => stateIssue('flow', found.get(sid)?.status, sendable);
  },
  async sender(t, sids) {
    const found = await loadSenders(t, sids);
    return (sid) => stateIssue('sender', found.get(sid)?.status, (status) => !gone.has(status));
  },
  async endpoint(t, sids) {
    const found = await findStatusCallbacks(
      t,
      sids.map((sid) => ({ sid })),
    );
    return among('verified webhook endpoint', new Set(found));
  },
  async inbox(t, sids) {
    const found = await Promise.all(sids.map(async (sid) => ((await inboxExists(t, sid)) ? [sid] : [])));
    return among('inbox', new Set(found.flat()));
  },
  async workflow(t, sids) {
    const rows = await t.many<{ sid: string }>(sql`
      select sid from workflows
       where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sid = any (${sids}::text[])
         and deleted_at is null`);
    return among('workflow', new Set(rows.map(({ sid }) => sid)));
  },
};

function stateIssue<State extends string>(
  what: string,
  state: State | undefined,
  isGood: (state: State) => boolean,
): string | null {
  if (state === undefined) return unknown(what);
  return isGood(state) ? null : `is ${state} and cannot be used`;
}

/** Everything that cannot be used, each at its place. */
export async function judgeReferences(t: TenantTx, references: Reference[]): Promise<ErrorDetail[]> {
  const [issueOf, templateIssue] = await Promise.all([lookUp(t, references), lookUpTemplates(t, references)]);
  return references.flatMap((reference) => {
    const issue = reference.kind === 'template' ? templateIssue(reference) : issueOf(reference);
    return issue === null ? [] : [{ path: reference.path, issue }];
  });
}

type Named = Extract<Reference, { sid: string }>;
type NamedTemplate = Extract<Reference, { kind: 'template' }>;

async function lookUp(t: TenantTx, references: Reference[]) {
  const sids = Map.groupBy(
    references.filter((one): one is Named => one.kind !== 'template'),
    ({ kind }) => kind,
  );
  const looked = await Promise.all(
    [...sids].map(async ([kind, named]) => {
      const distinct = [...new Set(named.map(({ sid }) => sid))];
      return [kind, await looks[kind](t, distinct)] as const;
    }),
  );
  const byKind = new Map(looked);
  return ({ kind, sid }: Named) => byKind.get(kind)!(sid);
}

async function lookUpTemplates(t: TenantTx, references: Reference[]) {
  const asked = references.filter((one): one is NamedTemplate => one.kind === 'template');
  const found = asked.length === 0 ? [] : await templatesNamed(t, asked);
  const statuses = new Map<string, TemplateStatus[]>(asked.map((one, at) => [keyOf(one), found[at]!]));
  return (reference: NamedTemplate): string | null => {
    const known = statuses.get(keyOf(reference))!;
    const name = `${reference.name} (${reference.language})`;
    if (known.length === 0) return `${name} ${unknown('template')}`;
    return known.includes('APPROVED') ? null : `${name} is not approved`;
  };
}

const keyOf = ({ name, language }: NamedTemplate) => `${name} ${language}`;
