// What runs change about people: their contact, what they agreed to, and whether they may be written to.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import {
  type ConsentEntry,
  consentsOf,
  recordEach,
  type SuppressionEntry,
  suppressEach,
} from '../../consent/index.ts';
import { type ContactEdit, changeContacts } from '../../contacts/index.ts';
import { type Done, type Door, doneBy, faultOf, forContacts } from './effect-doors.ts';

const endOf = <R extends object>(end: R | ApiError, outputOf: (made: R) => Record<string, unknown>): Done =>
  end instanceof ApiError ? { error: faultOf(end) } : doneBy(end, outputOf(end));

export const changePeople: Door<'set_contact'> = (t, tasks) =>
  forContacts(tasks, async (able) => {
    const edits = able.map(({ subject, effect: { attributes, fields } }) => ({
      contactSid: subject,
      change: { ...fields, attributes } as ContactEdit['change'],
    }));
    const ends = await changeContacts(t, { consentsOf }, edits);
    return ends.map((end) => endOf(end, ({ sid }) => ({ contactSid: sid })));
  });

export const recordConsentOf: Door<'record_consent'> = (t, tasks) =>
  forContacts(tasks, async (able) => {
    const entries = able.map(({ subject, effect, walk }): ConsentEntry => {
      const { purpose, status, messageSid, wording } = effect;
      const input = {
        purpose,
        status,
        source: 'KEYWORD',
        ...(messageSid !== null && { evidenceRef: messageSid }),
        evidence: { application: walk.run.workflowSid, ...(wording !== null && { wording }) },
      };
      return { contactSid: subject, input: input as ConsentEntry['input'], by: walk.by };
    });
    const ends = await recordEach(t, entries);
    return ends.map((end) => endOf(end, ({ sid }) => ({ consentSid: sid })));
  });

export const suppressPeople: Door<'suppress'> = (t: TenantTx, tasks) =>
  forContacts(tasks, async (able) => {
    const entries = able.map(({ subject, effect: { scope, reason }, walk }): SuppressionEntry => {
      const terms = { scope, reason, source: 'WORKFLOW' } as SuppressionEntry['terms'];
      return { contactSid: subject, terms, by: walk.by };
    });
    const ends = await suppressEach(t, entries);
    return ends.map((end) => endOf(end, ({ sid }) => ({ suppressionSid: sid })));
  });
