import type { Fixtures } from '../../../test/harness/fixtures.ts';
import { newSid } from '../../platform/ids.ts';
import { insertSender } from '../senders/fixtures.ts';
import { insertWaba } from '../wabas/fixtures.ts';

export const fixtures: Fixtures = {
  /** One whose operation is long forgotten. */
  async migrationSid({ app, owner }) {
    const now = app.clock.now();
    const sid = newSid('OP', now);
    const [senderSid, source, destination] = [
      await insertSender(app, owner),
      await insertWaba(app, owner),
      await insertWaba(app, owner),
    ];
    const impact = {
      queuedMessages: 0,
      missingTemplates: { total: 0, templates: [] },
      missingFlows: { total: 0, flows: [] },
      workflows: [],
    };
    await app.sql(
      `insert into number_migrations (account_sid, livemode, operation_sid, sender_sid, country_code, phone_number,
         source_waba_sid, destination_waba_sid, source_phone_number_id, step, contact_sid, template_sid, impact, case_ref, reason,
         outcome, created_by, created_at, updated_at)
       values ($1, $2, $3, $4, '33', '100000000', $5, $6, '1', 'DONE', $7, $8, $9, 'CASE-1', 'Moved', 'SUCCEEDED', 'test', $10, $10)`,
      [
        owner.accountSid,
        owner.livemode,
        sid,
        senderSid,
        source,
        destination,
        newSid('CT', now),
        newSid('TM', now),
        JSON.stringify(impact),
        now,
      ],
    );
    return sid;
  },
};
