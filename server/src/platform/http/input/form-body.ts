// Reads what a browser's form posts. Like a query, every name may come once and every value is clean text.
import { type ErrorDetail, invalid } from '../../errors/errors.ts';
import { isCleanText } from './json-body.ts';

const maxFields = 100;

export function parseFormBody(raw: Buffer): Record<string, string> {
  const fields: Record<string, string> = Object.create(null); // a name such as __proto__ is only a name
  const details: ErrorDetail[] = [];
  let count = 0;
  for (const [name, value] of new URLSearchParams(raw.toString('utf8'))) {
    count += 1;
    if (count > maxFields) throw invalid({ path: 'body', issue: `must hold at most ${maxFields} fields` });
    if (name in fields) details.push({ path: name, issue: 'must be given once' });
    if (!isCleanText(name) || !isCleanText(value))
      details.push({
        path: isCleanText(name) ? name : 'body',
        issue: 'must not hold NUL characters or lone surrogates',
      });
    fields[name] = value;
  }
  if (details.length > 0) throw invalid(...details);
  return fields;
}
