// What media needs of the modules above it, connected.
import { simulatorAppId } from '@godwit/simulator';
import type { MediaHooks } from '../modules/media/index.ts';
import { anyConnection, connectionOf } from '../modules/wabas/index.ts';

export const mediaHooks: MediaHooks = {
  connectionOf,
  anyConnection,
  appIdOf: ({ livemode, site }) => (livemode ? site.providerAppId : simulatorAppId),
};
