import type { Fixtures } from '../../../test/harness/fixtures.ts';
import { Closed } from '../../platform/http/input/schema.ts';
import { silentLog } from '../../platform/observability/logging.ts';
import { systemPrincipal } from '../../platform/principal.ts';
import { defineOperationType, startOperation } from './index.ts';

// No worker knows it, so that what it starts stays PENDING.
const waiting = defineOperationType({
  type: 'test.waiting',
  input: Closed({}),
  run: async () => ({ result: null }),
});

export const fixtures: Fixtures = {
  async operationSid({ app, owner }) {
    const { accountSid, livemode } = owner;
    const principal = systemPrincipal('test', livemode);
    const requestContext = { principal, now: app.clock.now(), requestId: 'test', log: silentLog };
    const { sid } = await app.database.write({ accountSid, livemode }, requestContext, (t) =>
      startOperation(t, waiting, {}),
    );
    return sid;
  },
};
