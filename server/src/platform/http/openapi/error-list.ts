import { type Static, Type } from 'typebox';
import { errorCatalogue } from '../../errors/error-catalogue.ts';
import { ListOf, NamedObject, Nullable, sample } from '../input/schema.ts';
import { operation } from '../operations/operation.ts';

const ErrorEntry = NamedObject('ErrorEntry', {
  code: Type.String(),
  group: Type.String(),
  httpStatus: Type.Integer(),
  type: Type.String(),
  retryable: Type.Boolean(),
  retryAfterSeconds: Nullable(Type.Integer()),
  message: Type.String(),
  remedy: Type.String(),
});

const entries: Static<typeof ErrorEntry>[] = Object.entries(errorCatalogue).map(
  ([code, { status, ...entry }]) => ({
    code,
    httpStatus: status,
    ...entry,
  }),
);

sample(ErrorEntry, entries[0]!);

/** The catalogue, for programs; /docs/errors shows it to people. */
export const listErrors = operation({
  id: 'listErrors',
  method: 'GET',
  path: '/v1/errors',
  summary: 'Every error this API can answer with',
  description:
    'The whole catalogue on one page, without credentials: for each code its HTTP status, whether the ' +
    'same request can succeed later, and what to do about it. A code never changes its meaning, so ' +
    'decide by the code.',
  tag: 'Errors',
  access: 'public',
  responses: { 200: ListOf(ErrorEntry) },
  open: () => ({ object: 'list', data: entries, hasMore: false, nextCursor: null }),
});
