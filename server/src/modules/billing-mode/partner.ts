// As whom the operator's credit line is read and changed.
import type { Ports, Site } from '../../platform/ports.ts';
import type { Connection } from '../provider/index.ts';
import { connectionWith } from '../wabas/index.ts';

export type Partner = { connection: Connection; businessId: string };

/** As whom credit lines are read and changed; null where the operator is no partner of the provider. */
export function partnerOf(
  { ports, site }: { site: Site; ports: Pick<Ports, 'providerPartner'> },
  livemode: boolean,
): Partner | null {
  const partner = ports.providerPartner[livemode ? 'live' : 'sandbox'];
  return (
    partner && {
      businessId: partner.businessId,
      connection: connectionWith({ livemode, site }, partner.accessToken),
    }
  );
}
