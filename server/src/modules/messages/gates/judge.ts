// Runs the gates over a case. Preflight and sending both come here, so they cannot disagree.

import { errorCatalogue } from '../../../platform/errors/error-catalogue.ts';
import { ApiError, type ErrorCode } from '../../../platform/errors/errors.ts';
import { defaultMarket, expectedPricingType, isFreeAt, priceOf, type Quote } from '../../billing/index.ts';
import {
  type Case,
  type Category,
  type Evidence,
  type Finding,
  isTemplate,
  isUnusable,
  type Resolved,
} from './case.ts';
import { gates } from './gates.ts';

export type Check = {
  gate: string;
  outcome: Finding['outcome'];
  code: ErrorCode | null;
  message: string | null;
  evidence: Evidence;
};

/** The error of a gate, with what it judged by. */
export class Refusal extends ApiError {
  readonly gate: string;
  readonly evidence: Evidence;

  constructor(gate: string, { code, details, retryAfterSeconds, headers, evidence }: Failed) {
    super(code, {
      ...(details && { details }),
      ...(retryAfterSeconds && { retryAfterSeconds }),
      ...(headers && { headers }),
    });
    this.gate = gate;
    this.evidence = evidence;
  }
}

type Failed = Omit<Extract<Finding, { outcome: 'fail' }>, 'outcome'>;

export type Verdict = {
  /** Null when every gate let the message through. */
  refusal: Refusal | null;
  checks: Check[];
  resolved: Resolved;
};

/** `thoroughly` asks every gate; otherwise the first refusal ends it. */
export function judge(c: Case, thoroughly: boolean): Verdict {
  const resolved = resolve(c);
  const checks: Check[] = [];
  let refusal: Refusal | null = null;
  for (const gate of gates) {
    const finding = gate.judge(c, resolved);
    if (thoroughly) checks.push(toCheck(gate.name, finding));
    if (finding.outcome !== 'fail') continue;
    refusal ??= new Refusal(gate.name, finding);
    if (!thoroughly) break;
  }
  return { refusal, checks, resolved };
}

function toCheck(gate: string, finding: Finding): Check {
  const { outcome, evidence } = finding;
  if (!('code' in finding)) return { gate, outcome, code: null, message: null, evidence };
  const { code } = finding;
  const details = finding.outcome === 'fail' && finding.details ? { details: finding.details } : {};
  const { message } = errorCatalogue[code];
  return { gate, outcome, code, message, evidence: { ...evidence, ...details } };
}

function resolve(c: Case): Resolved {
  const category = categoryOf(c);
  const asked = c.draft.sendAt ?? c.now;
  const deferred = c.draft.deferIfCapped && c.cappedUntil !== null && c.cappedUntil > asked;
  const dueAt = deferred ? c.cappedUntil! : asked;
  return { category, quote: quoteOf(c, category, dueAt), dueAt, deferred };
}

/** A template that is not there has the category it was said to have. */
function categoryOf(c: Case): Category {
  if (!isTemplate(c)) return 'service';
  return c.template ? (c.template.category.toLowerCase() as Category) : (c.draft.category ?? 'utility');
}

function quoteOf(
  { recipient, window, now, rates, draft, waba }: Case,
  category: Category,
  dueAt: Date,
): Quote | null {
  if (isUnusable(recipient)) return null;
  const pricingType = expectedPricingType({
    category,
    windowOpen: window.open,
    entryPointOpen: isFreeAt(window.freeUntil, dueAt),
    at: now,
  });
  const market = recipient.country ?? defaultMarket;
  const priced = { category, pricingType, transport: draft.transport, market };
  return priceOf(rates, priced, waba?.billingMode);
}
