import type { TenantTx } from '../../../platform/db/database.ts';
import { claimSegments } from '../../segments/index.ts';

/** The segment a campaign needs, which cannot be deleted until then; none any more once its people are cut from it. */
export const useSegment = (t: TenantTx, campaignSid: string, segmentSid: string | null): Promise<void> =>
  claimSegments(t, `campaign ${campaignSid}`, segmentSid === null ? [] : [segmentSid]);
