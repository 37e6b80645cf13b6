// Why the people of a segment would not be reached by a message. Each is judged alone, as a preflight judges them: every gate is
// asked, and nobody uses up what another would need.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError, type ErrorDetail, invalid } from '../../../platform/errors/errors.ts';
import type { Part } from '../../../platform/http/operations/operation.ts';
import { getSegment, memberSids, membersAmong } from '../../segments/index.ts';
import { preflightMessages } from '../admission/preflight-message.ts';
import { judgeUnaddressed } from '../admission/unaddressed-messages.ts';
import type { Preflight } from '../schema.ts';
import { type AskWhyNot, mostSamples, type Reason, type WhyNot } from './schema.ts';

const usualLimit = 25;

export function issuesOfWhyNot(asked: Part<AskWhyNot>, refused: ReadonlySet<string>): ErrorDetail[] {
  const issues: ErrorDetail[] = [];
  for (const path of ['after', 'limit'] as const) {
    if (asked.contactSids !== undefined && asked[path] !== undefined)
      issues.push({ path, issue: 'goes without contactSids only' });
  }
  const isSound = asked.message !== undefined && ![...refused].some((path) => /^message\b/.test(path));
  if (!isSound) return issues;
  const ofMessage = judgeUnaddressed(asked.message);
  return [...issues, ...ofMessage.map((detail) => ({ ...detail, path: `message.${detail.path}` }))];
}

export async function whyNot(t: TenantTx, segmentSid: string, asked: AskWhyNot): Promise<WhyNot> {
  await getSegment(t, segmentSid);
  const { sids, nextAfter } = await chosen(t, segmentSid, asked);
  const verdicts = await preflightMessages(
    t,
    sids.map((contactSid) => ({ body: { ...asked.message, contactSid }, author: t.principal })),
  );
  const members = sids.map((contactSid, at) => memberOf(contactSid, verdicts[at]!));
  return {
    object: 'segment_why_not',
    segmentSid,
    accountSid: t.accountSid,
    livemode: t.livemode,
    judged: members.length,
    reached: members.filter(({ reached }) => reached).length,
    reasons: counted(members),
    members,
    nextAfter,
  };
}

async function chosen(
  t: TenantTx,
  segmentSid: string,
  { contactSids, after, limit = usualLimit }: AskWhyNot,
) {
  if (contactSids === undefined) {
    const found = await memberSids(t, segmentSid, after ?? '', limit + 1);
    const sids = found.slice(0, limit);
    return { sids, nextAfter: found.length > limit ? sids.at(-1)! : null };
  }
  const members = await membersAmong(t, segmentSid, contactSids);
  const strays = contactSids.flatMap((sid, at) =>
    members.has(sid) ? [] : [{ path: `contactSids.${at}`, issue: 'is no member of this segment' }],
  );
  if (strays.length > 0) throw invalid(...strays);
  return { sids: contactSids, nextAfter: null };
}

type Member = WhyNot['members'][number];
type Count = WhyNot['reasons'][number];

function memberOf(contactSid: string, verdict: Preflight | ApiError): Member {
  if (verdict instanceof ApiError) {
    const { code, message, facts } = verdict;
    const evidence = facts.details ? { details: facts.details } : {};
    return { contactSid, reached: false, reasons: [{ gate: null, code, message, evidence }], cost: null };
  }
  const reasons = verdict.checks.flatMap(({ gate, outcome, code, message, evidence }): Reason[] =>
    outcome === 'fail' ? [{ gate, code: code!, message: message!, evidence }] : [],
  );
  return { contactSid, reached: verdict.accepted, reasons, cost: verdict.cost?.total ?? null };
}

/** What stands against most of them first. */
function counted(members: Member[]): WhyNot['reasons'] {
  const counts = new Map<string, Count>();
  for (const { contactSid, reasons } of members) {
    for (const { gate, code } of reasons) {
      const key = `${gate} ${code}`;
      const count: Count = counts.get(key) ?? { gate, code, contacts: 0, samples: [] };
      count.contacts += 1;
      if (count.samples.length < mostSamples) count.samples.push(contactSid);
      counts.set(key, count);
    }
  }
  return [...counts.values()].sort((a, b) => b.contacts - a.contacts);
}
