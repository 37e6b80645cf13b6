// The provider's words arrive in any order. Each aspect of a row (its status, its name, …) remembers when the last word that
// was applied was said; an older one changes nothing. Rows keep this in a column `said_at`.
import type { TenantTx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/query.ts';

/** Whether a word about this aspect, said then, is news to the row. */
export const isNews = (aspect: string, saidAt: Date): Sql =>
  sql`coalesce((said_at ->> ${aspect}::text)::timestamptz, '-infinity') <= ${saidAt}`;

/** The column's next value once such a word is applied. */
export const withSaidAt = (aspects: readonly string[], saidAt: Date): Sql => {
  const said = Object.fromEntries(aspects.map((aspect) => [aspect, saidAt.toISOString()]));
  return sql`said_at || ${JSON.stringify(said)}::jsonb`;
};

/** The provider's clock may be ahead of ours by so much. What is further ahead is wrong, and would silence every later word. */
const mostAheadMs = 60 * 60_000;

/** When a word was said: as it says itself, or when we hear it. */
export const saidAtOf = ({ now }: Pick<TenantTx, 'now'>, told: Date | null): Date =>
  told !== null && told.getTime() <= now.getTime() + mostAheadMs ? told : now;
