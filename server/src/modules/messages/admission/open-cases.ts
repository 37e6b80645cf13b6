// From bodies to cases: what preflight and sending do alike before the gates judge.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError, invalid } from '../../../platform/errors/errors.ts';
import { type Draft, readMessage, type Submission } from '../drafts/read-message.ts';
import type { Case } from '../gates/case.ts';
import { judgeReplies } from './judge-replies.ts';
import { type Loading, loadCases } from './load-cases.ts';

/** The case of each submission in order; or the error of a body that says nothing sensible, or of who may not say it. */
export async function openCases(
  t: TenantTx,
  submissions: readonly Submission[],
  options: Loading,
): Promise<(Case | ApiError)[]> {
  const read = submissions.map((submission) => readMessage(submission, t.now));
  const sensible = read.filter((draft): draft is Draft => !Array.isArray(draft));
  const replies = await judgeReplies(t, sensible, options);
  const composers = new Map(sensible.map((draft, at) => [draft, replies[at] ?? null]));
  const drafts = sensible.filter((_, at) => !(replies[at] instanceof ApiError));
  const cases = drafts.length > 0 ? await loadCases(t, drafts, options) : [];
  const caseOf = new Map(drafts.map((draft, at) => [draft, cases[at]!]));
  return read.map((draft) => {
    if (Array.isArray(draft)) return invalid(...draft);
    const composer = composers.get(draft) ?? null;
    if (composer instanceof ApiError) return composer;
    const opened = caseOf.get(draft)!;
    opened.composer = composer;
    return opened;
  });
}
