import type { Fixtures } from '../../../test/harness/fixtures.ts';
import { silentLog } from '../../platform/observability/logging.ts';
import { systemPrincipal } from '../../platform/principal.ts';
import { requestApproval } from './approvals.ts';

export const fixtures: Fixtures = {
  async approvalSid({ app, owner }) {
    const principal = systemPrincipal('test', owner.livemode);
    const requestContext = { principal, now: app.clock.now(), requestId: 'test', log: silentLog };
    const refusal = await app.database.write(owner, requestContext, (t) =>
      requestApproval(t, { action: 'TEST', summary: 'A test', request: {} }),
    );
    return refusal.facts.details![0]!.issue;
  },
};
