import type { Tenant } from '../../../platform/db/database.ts';
import { type Principal, systemPrincipal } from '../../../platform/principal.ts';

/** In whose name a campaign sends: nobody's who might leave while it runs. */
export const campaignPrincipal = ({ livemode }: Tenant, campaignSid: string): Principal =>
  systemPrincipal(`campaign:${campaignSid}`, livemode);
