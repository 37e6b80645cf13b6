// How far two amounts may be apart and still be the same: the provider rounds, and bills in whole cents.

/** Beyond a cent and beyond half a percent of what was expected. Both amounts have `scale` digits behind the point. */
export function isOff(foundMinor: bigint, expectedMinor: bigint, scale: number): boolean {
  const apart = magnitude(foundMinor - expectedMinor);
  const cent = scale >= 2 ? 10n ** BigInt(scale - 2) : 1n;
  return apart > cent && apart * 200n > magnitude(expectedMinor);
}

const magnitude = (amount: bigint) => (amount < 0n ? -amount : amount);
