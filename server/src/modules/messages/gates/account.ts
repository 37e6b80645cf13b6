import { fail, type Gate, pass } from './case.ts';

export const account: Gate = {
  name: 'account',
  judge({ account: { accountStatus } }) {
    const evidence = { status: accountStatus };
    return accountStatus === 'active' ? pass(evidence) : fail('ACCOUNT_SUSPENDED', evidence);
  },
};
