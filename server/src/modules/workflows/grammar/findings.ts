// What the grammar finds, gathered with the place it was found at.
import type { ErrorDetail } from '../../../platform/errors/errors.ts';
import { maxDetails } from '../../../platform/http/input/validation.ts';
import { maxActions, maxPredicates } from '../definition/limits.ts';

export type Findings = ReturnType<typeof newFindings>;

export function newFindings(at: string) {
  const details: ErrorDetail[] = [];
  let actions = 0;
  let predicates = 0;
  const add = (path: string, issue: string) => {
    if (details.length < maxDetails) details.push({ path: join(at, path) || 'body', issue });
  };
  return {
    details,
    add,
    addAll(path: string, found: ErrorDetail[]) {
      for (const detail of found) add(join(path, detail.path), detail.issue);
    },
    /** Told once, at the first that is too many. */
    countAction(path: string) {
      actions += 1;
      if (actions === maxActions + 1) add(path, `is one action too many: there may be ${maxActions}`);
    },
    countPredicate(path: string) {
      predicates += 1;
      if (predicates === maxPredicates + 1)
        add(path, `is one predicate too many: there may be ${maxPredicates}`);
    },
  };
}

export const join = (at: string, path: string) =>
  at === '' || path === '' || path.startsWith('[') ? `${at}${path}` : `${at}.${path}`;
