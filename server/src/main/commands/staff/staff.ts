// The operator's people on the accounts of customers, from the command line.
import { findStaffMember, letStaffIn } from '../../../modules/identity/index.ts';
import { revokeStaff, type StaffGrant, staffGrants } from '../../../modules/roles/index.ts';
import { ConfigError } from '../../../platform/config.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { asOperator, type CommandContext } from '../../process/keys.ts';

export type Grant = { account: string; user: string; hours: number; case: string };

async function memberOf({ database }: CommandContext, user: string) {
  const member = await database.system((s) => findStaffMember(s, user));
  if (!member)
    throw new ConfigError(
      `${user} is not an active person of the operator's organization; "godwit organization operator" says which that is.`,
    );
  return member;
}

/** Written down in the live chain of the customer, whichever environment is then looked at. */
export async function grantToStaff(context: CommandContext, { account, user, ...grant }: Grant) {
  const member = await memberOf(context, user);
  const tenant = { accountSid: account, livemode: true };
  try {
    const { expiresAt } = await context.database.write(tenant, asOperator(context, true), (t) =>
      letStaffIn(t, member, grant),
    );
    return { userSid: member.userSid, email: member.email, account, expiresAt: expiresAt.toISOString() };
  } catch (error) {
    throw error instanceof ApiError && error.code === 'CONFLICT' ? new ConfigError(error.message) : error;
  }
}

export async function revokeFromStaff(
  context: CommandContext,
  { account, user, reason }: { account: string; user: string; reason: string },
): Promise<number> {
  const member = await memberOf(context, user);
  const tenant = { accountSid: account, livemode: true };
  return context.database.write(tenant, asOperator(context, true), (t) =>
    revokeStaff(t, member.userSid, reason),
  );
}

export const listStaff = ({ database, clock }: CommandContext, account?: string): Promise<StaffGrant[]> =>
  database.system((s) => staffGrants(s, clock.now(), { accountSid: account }));
