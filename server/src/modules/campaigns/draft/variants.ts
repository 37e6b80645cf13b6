// Which variant somebody gets. It follows from campaign and contact alone, so that whoever asks, before or after the launch and as often
// as they like, hears the same.
import { createHash } from 'node:crypto';
import type { CampaignVariant } from '../schema.ts';

/** Counted from zero; null for a campaign without variants. The weights sum to 100. */
export function variantFor(
  campaignSid: string,
  contactSid: string,
  variants: readonly Pick<CampaignVariant, 'weight'>[] | undefined,
): number | null {
  if (!variants) return null;
  const digest = createHash('sha256').update(`${campaignSid} ${contactSid}`).digest();
  const point = (digest.readUIntBE(0, 6) / 2 ** 48) * 100;
  let end = 0;
  const at = variants.findIndex(({ weight }) => {
    end += weight;
    return point < end;
  });
  return at === -1 ? variants.length - 1 : at;
}
