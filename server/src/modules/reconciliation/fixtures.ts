import type { Fixtures } from '../../../test/harness/fixtures.ts';
import { write } from '../../../test/harness/jobs.ts';
import { newUuid } from '../../platform/ids.ts';
import { openCase } from './cases/open-cases.ts';

export const fixtures: Fixtures = {
  async caseSid({ app, owner: { accountSid, livemode } }) {
    const opened = await write({ app, accountSid, livemode }, (t) =>
      openCase(t, {
        fingerprint: `fixture/${newUuid(t.now)}`,
        outcome: 'unexpected_provider_charge',
        source: 'callback',
        wabaSid: null,
        bucket: null,
        currency: null,
        scale: null,
        messages: [],
        findings: ['Made for a test.'],
      }),
    );
    return opened!.sid;
  },
};
