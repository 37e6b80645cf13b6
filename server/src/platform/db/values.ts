// How what PostgreSQL sends becomes values of a row.
import pg from 'pg';
import type { Types } from './statement.ts';

// Rows carry instants as the wire writes them. The session's time zone is UTC, so the text only changes its dress:
// "2026-08-21 10:00:00.5+00" becomes "2026-08-21T10:00:00.500Z".
const readInstant = (text: string) =>
  `${text.slice(0, 10)}T${text.slice(11, 19)}.${(text.slice(20).match(/^\d{1,3}/)?.[0] ?? '').padEnd(3, '0')}Z`;

export const types: Types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.TIMESTAMPTZ ? readInstant : pg.types.getTypeParser(oid, format),
};
