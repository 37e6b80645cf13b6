// Whether payments can be taken here, and by whom.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import type { Ports, Site } from '../../../platform/ports.ts';
import type { PaymentService } from '../ports.ts';

/** Live payments need keys of the operator's; without them the service runs, and takes none. */
export function requirePayments({ livemode, site }: Pick<TenantTx, 'livemode' | 'site'>): void {
  if (livemode && site.payments.live === null) {
    throw new ApiError('CAPABILITY_UNAVAILABLE', {
      message: 'This installation takes no live payments: the operator sets PAYMENT_SECRET_KEY.',
    });
  }
}

export function serviceOf({ ports, site }: { ports: Ports; site: Site }, livemode: boolean): PaymentService {
  const baseUrl = livemode ? site.payments.live : site.payments.sandbox;
  const service = baseUrl === null ? null : ports.payments.service(livemode, baseUrl);
  if (!service) throw new ApiError('CAPABILITY_UNAVAILABLE');
  return service;
}

// What the service takes at least and at most, of a currency with two decimals.
const least = 50n;
const most = 99_999_999n;

export const leastPayment = (_currency: string): bigint => least;
export const mostPayment = (_currency: string): bigint => most;
