// Faults by rule: which calls, what happens to them, how often and how likely. Rules come before magic recipients.
import type { Behaviour } from './behaviour.ts';
import type { Random } from './random.ts';

export type Match = {
  /** The last part of the path, such as messages, media or message_templates; "node" for a call on an object itself. */
  path?: string;
  /** Digits the recipient's number ends with. */
  recipient?: string;
  type?: string;
  phoneNumberId?: string;
  opaque?: string;
};

export type Rule = {
  id: string;
  match: Match;
  behaviour: Behaviour;
  /** How often it still applies; null for always. */
  remaining: number | null;
  probability: number;
  /** How often it has applied. */
  applied: number;
};

export type Facts = {
  path: string;
  recipient?: string;
  type?: string;
  phoneNumberId?: string;
  opaque?: string;
};

export type Rules = ReturnType<typeof createRules>;

export function createRules(random: Random) {
  let rules: Rule[] = [];
  // For recipients refused a number of times: how often each has been.
  const refusals = new Map<string, number>();
  let count = 0;

  const fits = ({ match }: Rule, facts: Facts) =>
    (match.path ?? 'messages') === facts.path &&
    (match.recipient === undefined || (facts.recipient ?? '').endsWith(match.recipient)) &&
    (match.type === undefined || match.type === facts.type) &&
    (match.phoneNumberId === undefined || match.phoneNumberId === facts.phoneNumberId) &&
    (match.opaque === undefined || match.opaque === facts.opaque);

  return {
    list: () => rules,
    add(rule: Pick<Rule, 'match' | 'behaviour' | 'remaining' | 'probability'>): Rule {
      count += 1;
      const added = { id: `rule-${count}`, ...rule, applied: 0 };
      rules.push(added);
      return added;
    },
    remove(id: string): boolean {
      const before = rules.length;
      rules = rules.filter((rule) => rule.id !== id);
      return rules.length < before;
    },
    /** What the first rule that fits and strikes says. */
    pick(facts: Facts): Behaviour | null {
      for (const rule of rules) {
        if (rule.remaining === 0 || !fits(rule, facts)) continue;
        if (rule.probability < 1 && random.fraction() >= rule.probability) continue;
        if (rule.remaining !== null) rule.remaining -= 1;
        rule.applied += 1;
        return rule.behaviour;
      }
      return null;
    },
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
      rules = [];
      refusals.clear();
    },
  };
}
