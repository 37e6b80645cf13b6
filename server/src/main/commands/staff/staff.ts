// The operator's people on the accounts of customers, from the command line.
import {
  letStaffIn,
  lockStaffMember,
  peopleNamed,
  type StaffMember,
} from '../../../modules/identity/index.ts';
import { revokeStaff, type StaffGrant, staffGrants } from '../../../modules/roles/index.ts';
import { ConfigError } from '../../../platform/config.ts';
import type { SystemTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { asOperator, type CommandContext } from '../../process/keys.ts';

export type Grant = { account: string; user: string; hours: number; case: string };

async function lockMember(s: SystemTx, user: string): Promise<StaffMember> {
  const member = await lockStaffMember(s, user);
  if (!member)
    throw new ConfigError(
      `${user} is not an active person of the operator's organization; "godwit organization operator" says which that is.`,
    );
  return member;
}

/** Written down in the live chain of the customer, whichever environment is then looked at. */
export async function grantToStaff(context: CommandContext, { account, user, ...grant }: Grant) {
  const { database } = context;
  const tenant = { accountSid: account, livemode: true };
  try {
    // The person is of another organization than the account, so that one transaction cannot see both: the grant is made and
    // committed while the person's row is held by another.
    return await database.system(async (s) => {
      const member = await lockMember(s, user);
      const { expiresAt } = await database.write(tenant, asOperator(context, true), (t) =>
        letStaffIn(t, member, grant),
      );
      return { userSid: member.userSid, email: member.email, account, expiresAt: expiresAt.toISOString() };
    });
  } catch (error) {
    throw error instanceof ApiError && error.code === 'CONFLICT' ? new ConfigError(error.message) : error;
  }
}

/** Whoever was granted something, active or not. */
export async function revokeFromStaff(
  context: CommandContext,
  { account, user, reason }: { account: string; user: string; reason: string },
): Promise<number> {
  const people = await context.database.system((s) => peopleNamed(s, user));
  if (people.length === 0) throw new ConfigError(`There is nobody called ${user}.`);
  const tenant = { accountSid: account, livemode: true };
  return context.database.write(tenant, asOperator(context, true), async (t) => {
    let ended = 0;
    for (const { userSid } of people) ended += await revokeStaff(t, userSid, reason);
    return ended;
  });
}

export const listStaff = ({ database, clock }: CommandContext, account?: string): Promise<StaffGrant[]> =>
  database.system((s) => staffGrants(s, clock.now(), { accountSid: account }));
