// What people are told of invoices: that one was issued, that it could not be paid, that it was refused where it is registered.
import { type NotificationType, notifyOf, type Texts } from '../../../platform/notifications.ts';
import { invoiceEvents } from './events.ts';

const category = 'billing';

const told = (event: (typeof invoiceEvents)['issued'], scope: string, texts: Texts) =>
  notifyOf(event, { category, texts, notice: ({ sid }) => ({ to: { scope }, resource: sid }) });

export const invoiceNotifications: NotificationType[] = [
  told(invoiceEvents.issued, 'billing:read', {
    en: ({ resource }) => ({
      title: 'An invoice was issued',
      body: `The invoice ${resource} was issued. It says what it is for, and until when it is to be paid.`,
    }),
    fr: ({ resource }) => ({
      title: 'Une facture a été émise',
      body: `La facture ${resource} a été émise. Elle dit ce qu'elle facture et jusqu'à quand elle est à payer.`,
    }),
  }),
  told(invoiceEvents.past_due, 'billing:write', {
    en: ({ resource }) => ({
      title: 'An invoice is past due',
      body: `The invoice ${resource} could not be collected or was not paid in time. If it stays unpaid, sending may be suspended.`,
    }),
    fr: ({ resource }) => ({
      title: 'Une facture est en retard',
      body: `La facture ${resource} n'a pas pu être encaissée ou n'a pas été payée à temps. Si elle reste impayée, l'envoi peut être suspendu.`,
    }),
  }),
  told(invoiceEvents.submission_failed, 'billing:write', {
    en: ({ resource }) => ({
      title: 'An invoice could not be issued',
      body: `The invoice ${resource} was refused where it has to be registered. Correct what it says and submit it again.`,
    }),
    fr: ({ resource }) => ({
      title: "Une facture n'a pas pu être émise",
      body: `La facture ${resource} a été refusée là où elle doit être enregistrée. Corrigez ce qu'elle indique et soumettez-la de nouveau.`,
    }),
  }),
];
