// What the operator does with accounts from the command line. It is told in the live environment and holds in both.
import { type Account, resumeAccount, suspendAccount } from '../../../modules/accounts/index.ts';
import { ConfigError } from '../../../platform/config.ts';
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { asOperator, type CommandContext } from '../../process/keys.ts';

type Wanted = { account: string; reason: string };

const doing =
  (change: (t: TenantTx, reason: string) => Promise<Account>) =>
  async (context: CommandContext, { account: accountSid, reason }: Wanted): Promise<Account> => {
    try {
      return await context.database.write({ accountSid, livemode: true }, asOperator(context, true), (t) =>
        change(t, reason),
      );
    } catch (error) {
      throw error instanceof ApiError && error.code === 'CONFLICT' ? new ConfigError(error.message) : error;
    }
  };

export const suspend = doing(suspendAccount);
export const resume = doing(resumeAccount);
