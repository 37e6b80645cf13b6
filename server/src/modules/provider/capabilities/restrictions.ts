export type Restriction = { type: string; expiresAt: string | null };

/** Restrictions that hold at this moment. */
export const inForce = (restrictions: readonly Restriction[], now: Date): Restriction[] =>
  restrictions.filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > now.getTime());
