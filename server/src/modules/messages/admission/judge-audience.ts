// What sending one message to each of very many people would say: judged as sending judges them, a part of them at a time, and
// nothing is stored. What those before have used up is gone for those after, in this part and in the parts before it.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import type { Quote } from '../../billing/index.ts';
import type { OpenPool, Sender } from '../../senders/index.ts';
import { type Case, type Category, isUnusable } from '../gates/case.ts';
import { judge, type Refusal } from '../gates/judge.ts';
import { Usage } from './admit-messages.ts';
import type { Allowance } from './allowance.ts';
import { openCases } from './open-cases.ts';
import { PoolLoads } from './pool-loads.ts';
import { eachSound, type JudgedSubmission } from './sound-submissions.ts';

/** What would become of one of them. */
export type Prospect = {
  /** Null for whoever would be written to; of a gate, unless the body says nothing sensible. */
  refusal: Refusal | ApiError | null;
  category: Category | null;
  /** Null where nobody can be reached. */
  quote: Quote | null;
  sender: Sender | null;
};

/** What was looked up for a part of the audience, to be judged. */
export type AudiencePart = (Case | ApiError)[];

/**
 * Parts are judged one after the other, and what is looked up for one waits for none: it may be fetched while another is judged, unless
 * a pool chooses who speaks. Then how many each member was given before counts for those after. Each person is named once in all parts,
 * under whichever name: whom a pool chose for somebody is not kept, since an audience may have a million people.
 */
export class AudienceJudge {
  private readonly usage: Usage;
  private readonly loads = new PoolLoads();

  /** `allowance` is what they may cost together. */
  constructor(allowance: Allowance | null = null) {
    this.usage = new Usage(allowance);
  }

  load(t: TenantTx, submissions: readonly JudgedSubmission[]): Promise<AudiencePart> {
    const onPools = (pools: ReadonlyMap<string, OpenPool>) => this.loads.applyTo(pools);
    return eachSound(submissions, (sound) => openCases(t, sound, { toSend: false, audience: true, onPools }));
  }

  judge(part: AudiencePart): Prospect[] {
    // Where in the code a refusal was made is of no use to anybody, and to find out costs more than all gates.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      return part.map((one) => (one instanceof ApiError ? unreadable(one) : this.prospectOf(one)));
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }

  private prospectOf(c: Case): Prospect {
    this.usage.applyTo(c);
    const judged = judge(c, false);
    const { category, quote } = judged.resolved;
    const refusal = judged.refusal ?? this.usage.refuses(c, judged.resolved);
    const sender = isUnusable(c.sender) ? null : c.sender;
    if (refusal) return { refusal, category, quote, sender };
    this.usage.take(c, judged.resolved);
    this.loads.take(c);
    return { refusal: null, category, quote, sender };
  }
}

const unreadable = (error: ApiError): Prospect => ({
  refusal: error,
  category: null,
  quote: null,
  sender: null,
});
