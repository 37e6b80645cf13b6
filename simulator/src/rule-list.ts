// Faults by rule, whatever they are about: which calls, what happens to them, how often and how likely.
import type { Random } from './random.ts';

export type RuleOf<Match, Behaviour> = {
  id: string;
  match: Match;
  behaviour: Behaviour;
  /** How often it still applies; null for always. */
  remaining: number | null;
  probability: number;
  /** How often it has applied. */
  applied: number;
};

export type NewRuleOf<Match, Behaviour> = {
  match?: Match;
  behaviour: Behaviour;
  count?: number;
  probability?: number;
};

export function createRuleList<Match extends object, Behaviour, Facts>(
  random: Random,
  fits: (match: Match, facts: Facts) => boolean,
) {
  type Rule = RuleOf<Match, Behaviour>;
  let rules: Rule[] = [];
  let made = 0;
  return {
    list: () => rules,
    add({ match, behaviour, count, probability = 1 }: NewRuleOf<Match, Behaviour>): Rule {
      made += 1;
      const rule: Rule = {
        id: `rule-${made}`,
        match: match ?? ({} as Match),
        behaviour,
        remaining: count ?? null,
        probability,
        applied: 0,
      };
      rules.push(rule);
      return rule;
    },
    remove(id: string): boolean {
      const before = rules.length;
      rules = rules.filter((rule) => rule.id !== id);
      return rules.length < before;
    },
    /** What the first rule that fits and strikes says. */
    pick(facts: Facts): Behaviour | null {
      for (const rule of rules) {
        if (rule.remaining === 0 || !fits(rule.match, facts)) continue;
        if (rule.probability < 1 && random.fraction() >= rule.probability) continue;
        if (rule.remaining !== null) rule.remaining -= 1;
        rule.applied += 1;
        return rule.behaviour;
      }
      return null;
    },
    clear(): void {
      rules = [];
    },
  };
}
