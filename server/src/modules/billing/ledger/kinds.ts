// The names of the ledger's accounts and of the kinds of transfer between them. What a kind debits and credits, and whether it is
// made beyond the credit, stands in the tables ledger_account_types and ledger_transfer_kinds.
import { sql } from '../../../platform/db/query.ts';

/** Of messages: set aside, given back, taken. The last two are the provider's part, where the platform pays the provider. */
const messageKinds = [
  'hold',
  'release',
  'capture',
  'overage',
  'capture_provider',
  'overage_provider',
] as const;

/** The kinds of ledger_transfer_kinds. */
export const transferKinds = [
  ...messageKinds,
  'play_money',
  'operator_credit',
  'play_money_back',
  'top_up',
  'top_up_tax',
  'provider_bill',
  'invoice_usage',
  'invoice_tax',
  'rounding_up',
  'rounding_down',
  'invoice_payment',
  'invoice_overpayment',
  'credit_note',
  'credit_note_tax',
  'credit_note_paid',
  'credit_note_tax_paid',
  'credit_applied',
  'void_usage',
  'void_tax',
  'void_rounding_up',
  'void_rounding_down',
  'void_credit_applied',
  'write_off',
  'recovery',
  'refund_hold',
  'refund_hold_tax',
  'refund_hold_credit',
  'refund_paid',
  'refund_failed',
  'refund_failed_tax',
  'refund_failed_credit',
  'refund_returned',
  'dispute_open',
  'dispute_open_tax',
  'dispute_open_invoice',
  'dispute_won',
  'dispute_won_tax',
  'dispute_won_invoice',
  'processor_fee',
  'processor_fee_back',
  'fee_hold',
  'fee_capture',
  'fee_release',
  'number_rent',
  'adjust_charge',
  'adjust_credit',
  'adjust_charge_provider',
  'adjust_credit_provider',
] as const;
export type TransferKind = (typeof transferKinds)[number];

/** Those that stand for themselves: what is moved for a message or an adjustment has a hold or a charge beside it. */
export type FreeKind = Exclude<TransferKind, (typeof messageKinds)[number] | `adjust_${string}`>;

/** The kinds of messages as SQL: an index leaves them out in the same words. */
export const sqlOfMessages = sql.join(messageKinds.map((kind) => sql.lit(kind)));

/** The accounts that hold the wallet's own money: its position is what they hold together. */
export const ownAccounts = sql.join(['available', 'held', 'fees_held'].map((account) => sql.lit(account)));

/** The accounts of ledger_account_types. */
export const accountTypes = [
  'available',
  'held',
  'fees_held',
  'revenue',
  'provider_cost',
  'funding',
  'receivable',
  'tax_payable',
  'credit_balance',
  'refunds_pending',
  'bad_debt',
  'rounding',
  'provider_payable',
  'processor_fees',
] as const;
export type AccountType = (typeof accountTypes)[number];
