// Locks that are not rows: taken by a name, inside one account and environment, until the transaction ends.
import type { Tenant } from './database.ts';
import { type Sql, sql } from './query.ts';

/** No part may have a line break in it: two different names must never read alike. */
export const lockName = ({ accountSid, livemode }: Tenant, ...parts: string[]): string =>
  [accountSid, livemode, ...parts].join('\n');

/** What PostgreSQL's advisory locks take for a name. */
export const lockNumber = (name: string): Sql => sql`hashtextextended(${name}, 0)`;
