import type { Module } from '../../platform/module.ts';
import { automationEvents } from './automation/events.ts';
import { closeDue, closePeriods } from './closing/jobs.ts';
import { collectDue, collectInvoice, renewInvoiceLink } from './collection/jobs.ts';
import { creditNoteApproval } from './credit-notes/consent.ts';
import { creditNoteEvents } from './credit-notes/events.ts';
import { invoiceEvents } from './invoices/events.ts';
import { invoiceNotifications } from './invoices/notifications.ts';
import { resubmission } from './issuing/resubmit.ts';
import { submitInvoice } from './issuing/submit-invoice.ts';
import { writeOffApproval } from './issuing/write-off.ts';
import { tellInvoiceMetrics } from './metrics.ts';
import { operations } from './routes.ts';
import { statementEvents } from './statements/events.ts';

export { endAfter, type Period, stepOf } from './automation/calendar.ts';
export { listProviderStatements } from './automation/provider-statements.ts';
export { invoicesFollow } from './collection/follow-payments.ts';
export { findInvoice, shownOutstanding } from './invoices/invoices.ts';
export {
  returnCreditOfInvoice as returnInvoiceCredit,
  takeCreditOfInvoice as takeInvoiceCredit,
} from './settling/credits.ts';
export { invoiceForRefund } from './settling/refunds.ts';

export const invoicesModule: Module = {
  name: 'invoices',
  tables: [
    'billing_automations',
    'statements',
    'invoices',
    'unbilled_periods',
    'credit_notes',
    'invoice_credits',
  ],
  tags: {
    Invoices:
      'Billing periods and what comes of them: statements, invoices, credit notes, and how invoices are collected.',
  },
  operations,
  events: [invoiceEvents, creditNoteEvents, statementEvents, automationEvents].flatMap((events) =>
    Object.values(events),
  ),
  notifications: invoiceNotifications,
  jobs: [closePeriods, submitInvoice, collectInvoice, renewInvoiceLink, resubmission.job],
  crons: [closeDue, collectDue],
  approvables: [creditNoteApproval, writeOffApproval],
  observe: tellInvoiceMetrics,
};
