// As whom the operator's credit line is read and changed.
import type { Ports, Site } from '../../platform/ports.ts';
import type { OperationContext } from '../operations/index.ts';
import { type Connection, decideCapability, goOnWith, spokenIn } from '../provider/index.ts';
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

/** As whom an operation works on, as long as accounts can be billed through the operator here. */
export function requirePartner(context: OperationContext, livemode: boolean): Partner {
  const partner = partnerOf(context, livemode);
  const spoken = spokenIn({ livemode, site: context.site, now: context.now() });
  // Whether there is a price was asked when it began: what has begun is brought to its end.
  goOnWith(
    decideCapability('PARTNER_BILLING', { signup: false, partnerBilling: partner !== null, ...spoken }),
  );
  return partner!;
}
