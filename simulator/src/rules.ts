// Faults by rule. Rules come before magic recipients.
import type { Behaviour } from './behaviour.ts';
import type { Random } from './random.ts';
import { createRuleList, type NewRuleOf, type RuleOf } from './rule-list.ts';

export type Match = {
  /** The last part of the path, such as messages, media or message_templates; "node" for a call on an object itself. */
  path?: string;
  /** Digits the recipient's number ends with. */
  recipient?: string;
  type?: string;
  phoneNumberId?: string;
  opaque?: string;
};

export type Rule = RuleOf<Match, Behaviour>;
export type NewRule = NewRuleOf<Match, Behaviour>;

export type Facts = {
  path: string;
  recipient?: string;
  type?: string;
  phoneNumberId?: string;
  opaque?: string;
};

export type Rules = ReturnType<typeof createRules>;

const fits = (match: Match, facts: Facts) =>
  (match.path ?? 'messages') === facts.path &&
  (match.recipient === undefined || (facts.recipient ?? '').endsWith(match.recipient)) &&
  (match.type === undefined || match.type === facts.type) &&
  (match.phoneNumberId === undefined || match.phoneNumberId === facts.phoneNumberId) &&
  (match.opaque === undefined || match.opaque === facts.opaque);

export function createRules(random: Random) {
  const rules = createRuleList<Match, Behaviour, Facts>(random, fits);
  // For recipients refused a number of times: how often each has been.
  const refusals = new Map<string, number>();
  return {
    ...rules,
    /** Whether a refusal meant for the first few tries still holds for this recipient; counts the try. */
    stillRefused(recipient: string, times: number): boolean {
      const refused = refusals.get(recipient) ?? 0;
      if (refused >= times) {
        refusals.delete(recipient);
        return false;
      }
      refusals.set(recipient, refused + 1);
      return true;
    },
    clear(): void {
      rules.clear();
      refusals.clear();
    },
  };
}
