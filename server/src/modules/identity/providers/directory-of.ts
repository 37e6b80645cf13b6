import type { Directory } from '../../roles/index.ts';
import type { ActiveProvider } from './providers.ts';

/** The provider as roles know it: who gives them, and where they apply. */
export const directoryOf = (provider: ActiveProvider): Directory => ({
  providerId: provider.id,
  organizationId: provider.organizationId,
  accountSid: provider.roleAccountSid,
  environment: provider.roleEnvironment,
});
