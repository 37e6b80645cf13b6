import type { TenantTx } from '../../db/database.ts';

/**
 * An action that can wait for a second person. A feature lists its own in its manifest; whoever approves runs it, in
 * the transaction of the approval and under their own name.
 */
// biome-ignore lint/suspicious/noExplicitAny: a list of actions forgets the shapes of their requests
export type Approvable<Request = any> = {
  action: string;
  /** What whoever decides must hold on the account. */
  scope: string;
  /** What it returns is kept and shown with the approval, so it must hold no secret. A throw leaves it pending. */
  run(t: TenantTx, request: Request, approvalSid: string): Promise<object | null>;
  /** It was rejected, or nobody decided in time: for what was done already in case somebody would agree. */
  drop?(t: TenantTx, approvalSid: string): Promise<void>;
};

export const defineApprovable = <Request>(approvable: Approvable<Request>): Approvable => approvable;
