import { declareEvents, heardBy } from '../../../platform/events.ts';
import { CreditNote, creditNoteSample } from './schema.ts';

export const creditNoteEvents = heardBy(
  ['billing:read'],
  declareEvents('credit_note', CreditNote, creditNoteSample, {
    created: { since: '2026-08-21', description: 'A part of an invoice was credited.' },
  }),
);
