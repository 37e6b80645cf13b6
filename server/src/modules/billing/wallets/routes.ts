import { accountPath, Closed } from '../../../platform/http/input/schema.ts';
import { operation } from '../../../platform/http/operations/operation.ts';
import { WalletList, WalletQuery } from './schema.ts';
import { listWallets } from './wallets.ts';

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
];
