import type { Fixtures } from '../../../test/harness/fixtures.ts';
import { newSid } from '../../platform/ids.ts';
import { silentLog } from '../../platform/observability/logging.ts';
import { systemPrincipal } from '../../platform/principal.ts';
import { insertApplication, openApplication } from './applications/applications.ts';
import { sealDetails } from './applications/details.ts';

export const fixtures: Fixtures = {
  /** Written as it is, since live accounts can apply only where the operator lets them. An account has one that is open. */
  applicationSid: ({ app, owner: { accountSid, livemode } }) =>
    app.database.write(
      { accountSid, livemode },
      {
        principal: systemPrincipal('test', livemode),
        now: app.clock.now(),
        requestId: 'test',
        log: silentLog,
      },
      async (t) => {
        const open = await openApplication(t);
        if (open !== null) return open;
        const sid = newSid('MA', t.now);
        await insertApplication(t, {
          sid,
          displayName: 'Depot',
          country: 'FR',
          numberSource: 'PURCHASE',
          requestedNumber: null,
          website: null,
          details: sealDetails(t, sid, {
            legalName: 'Depot SA',
            instruction: 'Please set us up.',
            representativeName: null,
            representativeEmail: null,
            registeredAddress: null,
            registrationNumber: null,
            taxId: null,
            handoverPhoneNumber: null,
            information: [],
          }),
          accepted: {
            accountSid,
            environment: livemode ? 'live' : 'sandbox',
            applicationSid: null,
            numberSource: 'PURCHASE',
            lines: [{ kind: 'SETUP', recurrence: 'ONCE', amountMinor: '1', scale: 6 }],
            currency: 'USD',
            termsVersion: 'test',
            termsHash: '0'.repeat(64),
          },
          acceptedBy: 'system:test',
        });
        return sid;
      },
    ),
};
