import { sql } from '../../platform/db/query.ts';

/** A suppression counts until it is lifted or expires. */
export const inForce = (now: Date) => sql`lifted_at is null and (expires_at is null or expires_at > ${now})`;
