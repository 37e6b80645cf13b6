import { accountPath, Closed, Money } from '../../../platform/http/input/schema.ts';
import { operation } from '../../../platform/http/operations/operation.ts';
import { issuesOfLimit, listBudgets, listLowBalanceAlerts, setBudget, setLowBalanceAlert } from './limits.ts';
import {
  BudgetList,
  BudgetResource,
  LowBalanceAlert,
  LowBalanceAlertList,
  SetBudget,
  SetLowBalanceAlert,
  WalletList,
  WalletQuery,
} from './schema.ts';
import { listWallets } from './wallets.ts';

const tag = 'Billing';
const billing = '/v1/accounts/{accountSid}/billing';
const { currency } = Money.properties;
const currencyPath = Closed({ ...accountPath, currency });

export const operations = [
  operation({
    id: 'listWallets',
    method: 'GET',
    path: '/v1/accounts/{accountSid}/billing/wallets',
    summary: 'List wallets with their balances',
    description:
      'One wallet a currency. `available` is the balance, `held` is set aside for messages on their way, ' +
      'and `spendable` is what further messages may cost, credit included.',
    tag: 'Billing',
    access: ['billing:read'],
    params: Closed(accountPath),
    query: WalletQuery,
    responses: { 200: WalletList },
    handler: (t, { query, pager }) => listWallets(t, query, pager),
  }),
  operation({
    id: 'listLowBalanceAlerts',
    method: 'GET',
    path: `${billing}/low-balance-alerts`,
    summary: 'List the thresholds below which people are told that little is left',
    description:
      'Those that are set, one a currency. `armed` is false once it was told, until money comes in.',
    tag,
    access: ['billing:read'],
    params: Closed(accountPath),
    responses: { 200: LowBalanceAlertList },
    handler: (t) => listLowBalanceAlerts(t),
  }),
  operation({
    id: 'setLowBalanceAlert',
    method: 'PUT',
    path: `${billing}/low-balance-alerts/{currency}`,
    summary: 'Say below which amount people are told that little is left',
    description:
      'The threshold is compared with `spendable` of the wallet, and is written as `1,000.50` or `1000.5`; null removes it. It is ' +
      'told once, by the event `wallet.low_balance` and a notification, in the moment in which `spendable` falls below it, and ' +
      'at once where it is below already. It is told again only after money came in, or for another threshold.',
    tag,
    access: ['billing:write'],
    idempotency: 'required',
    params: currencyPath,
    body: SetLowBalanceAlert,
    example: { threshold: '50.00' },
    responses: { 200: LowBalanceAlert },
    issues: (t, { params, body }) => issuesOfLimit(t, params.currency, ['threshold', body.threshold]),
    handler: (t, { params, body }) => setLowBalanceAlert(t, params.currency, body.threshold),
  }),
  operation({
    id: 'listBudgets',
    method: 'GET',
    path: `${billing}/budgets`,
    summary: 'List the monthly budgets',
    description:
      'Those that are set, one a currency. `spent` is what messages were charged in this calendar month (UTC) and what is held for ' +
      'those on their way.',
    tag,
    access: ['billing:read'],
    params: Closed(accountPath),
    responses: { 200: BudgetList },
    handler: (t) => listBudgets(t),
  }),
  operation({
    id: 'setBudget',
    method: 'PUT',
    path: `${billing}/budgets/{currency}`,
    summary: 'Limit what messages may cost in a month',
    description:
      'A message that would cost more than what is left of the month is refused with INSUFFICIENT_FUNDS, and preflight says so. ' +
      'Months are those of the calendar in UTC. Null removes the budget. What was accepted is delivered and charged.',
    tag,
    access: ['billing:write'],
    idempotency: 'required',
    params: currencyPath,
    body: SetBudget,
    example: { monthly: '1,000.00' },
    responses: { 200: BudgetResource },
    issues: (t, { params, body }) => issuesOfLimit(t, params.currency, ['monthly', body.monthly]),
    handler: (t, { params, body }) => setBudget(t, params.currency, body.monthly),
  }),
];
