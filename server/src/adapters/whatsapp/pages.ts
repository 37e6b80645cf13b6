import type { Page } from '../../modules/provider/index.ts';
import { type Fields, fieldsOf, listOf, textOf } from './reading.ts';

export const pageQuery = (fields: string, after: string | null) => ({
  fields,
  limit: '100',
  ...(after !== null && { after }),
});

/** The provider writes a cursor on the last page too; only `next` says that there is more. */
export function pageOf<T>(answer: Fields, read: (value: unknown) => T | null): Page<T> | undefined {
  if (!Array.isArray(answer.data)) return undefined;
  const paging = fieldsOf(answer.paging);
  const after = textOf(paging.next) === null ? null : textOf(fieldsOf(paging.cursors).after);
  return {
    items: listOf(answer.data)
      .map(read)
      .filter((item) => item !== null),
    after,
  };
}
