// Switching a provider on: look at its state, verify it outside any transaction, write down both steps.
import { ApiError } from '../../../platform/errors/errors.ts';
import type { AnyInput, Outside } from '../../../platform/http/operations/operation.ts';
import { audit } from '../../audit/index.ts';
import { activateProvider, getProvider, markVerified, refuseWrongState } from './providers.ts';
import type { ActivatedProvider } from './schema.ts';
import { verifyProvider } from './verify-provider.ts';

export async function verifyAndActivate(
  call: Outside,
  id: string,
  reason: string,
  stepUp: AnyInput['stepUp'],
): Promise<ActivatedProvider> {
  const provider = await call.read((t) => getProvider(t, id));
  refuseWrongState(provider, 'verify');
  const details = await verifyProvider(call, provider);
  if (details.length > 0) {
    await call.write(async (t) =>
      audit(t, { action: 'identity_provider.verification_failed', resource: id, facts: { reason } }),
    );
    throw new ApiError('CONFLICT', { message: 'The provider could not be verified.', details });
  }
  return call.write(async (t) => {
    await stepUp(t);
    await markVerified(t, id, reason);
    return activateProvider(t, id, reason);
  });
}
