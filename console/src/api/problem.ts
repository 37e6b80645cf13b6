// What went wrong, in a form that people can be shown.
import { ConnectionError, GodwitError } from '@godwit/sdk';

export type Problem = {
  /** A code of the service; `OFFLINE` where it did not answer, `UNEXPECTED` where the console itself failed. */
  code: string;
  /** In the service's own words; null where the console has better ones. */
  message: string | null;
  details: { path: string; issue: string }[];
  retryAfterSeconds: number | null;
  requestId: string | null;
  docUrl: string | null;
};

export function problemOf(error: unknown): Problem {
  if (error instanceof GodwitError) {
    const { code, details, retryAfterSeconds, requestId, docUrl } = error;
    return { code, message: error.body.message, details, retryAfterSeconds, requestId, docUrl };
  }
  const code = error instanceof ConnectionError ? 'OFFLINE' : 'UNEXPECTED';
  const message = error instanceof ConnectionError ? null : String(error);
  return { code, message, details: [], retryAfterSeconds: null, requestId: null, docUrl: null };
}

/** What is wrong with one field of a form; null where nothing is. `template.name` also answers for `/template/name`. */
export function issueAt(error: unknown, path: string): string | null {
  const wanted = normal(path);
  const found = problemOf(error).details.find((detail) => normal(detail.path) === wanted);
  return found?.issue ?? null;
}

/** Everything that is wrong with a field and with what is inside it, which is named then; null where nothing is. */
export function issueWithin(error: unknown, path: string): string | null {
  const field = normal(path);
  const found = problemOf(error).details.filter((detail) => isWithin(field, detail.path));
  const told = found.map((detail) => `${normal(detail.path).slice(field.length + 1)} ${detail.issue}`.trim());
  return told.length > 0 ? told.join(', ') : null;
}

const isWithin = (field: string, path: string) => `${normal(path)}.`.startsWith(`${field}.`);

/** What is wrong and stands at none of these fields. `filters.*` also stands for whatever is inside `filters`. */
export const issuesBeside = (problem: Problem, fields: readonly string[]) =>
  problem.details.filter(
    ({ path }) =>
      !fields.some((field) =>
        field.endsWith('.*') ? isWithin(normal(field.slice(0, -2)), path) : normal(field) === normal(path),
      ),
  );

/** `/template/name`, `body.template.name` and `template.name` are one field; so are `parts[0]` and `parts.0`. */
const normal = (path: string) =>
  path
    .replaceAll('/', '.')
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .replace(/^\.|^body\./g, '');
