// Where somebody works: an account in an environment, what they may do there, and the client that asks for them.
import type { Godwit, ReachableAccount } from '@godwit/sdk';
import { createContext, useContext } from 'react';
import type { Can } from '../api/can.ts';
import { canWith } from '../api/can.ts';
import { clientOf } from '../api/clients.ts';
import type { Environment } from '../api/environment.ts';
import type { Signed } from '../api/session.ts';

export type Workspace = {
  environment: Environment;
  account: ReachableAccount;
  signed: Signed;
  api: Godwit;
  can: Can;
  /** What every address in it begins with. */
  here: { environment: Environment; account: string };
  /** Begins the name of everything that is kept of this account in this environment. */
  key: readonly [Environment, string];
};

export function workspaceOf(environment: Environment, accountSid: string, signed: Signed): Workspace | null {
  const account = signed.me.accounts?.find((one) => one.accountSid === accountSid);
  if (!account) return null;
  return {
    environment,
    account,
    signed,
    api: clientOf(environment, accountSid),
    can: canWith(account.scopes),
    here: { environment, account: accountSid },
    key: [environment, accountSid],
  };
}

export const InWorkspace = createContext<Workspace | null>(null);

export const useWorkspace = (): Workspace => useContext(InWorkspace)!;
