// Who is asking: an API key, a signed-in person, a directory, a run of a workflow, or the service itself.

export type Principal = {
  kind: 'api_key' | 'user' | 'directory' | 'workflow' | 'system';
  /** The key's id, the user's SID, the provider's id, the SID of the run, or the name of the part of the system. */
  ref: string;
  /** The account a key belongs to; a person may have several and names one in the path. */
  accountSid: string | null;
  organizationId: string | null;
  livemode: boolean;
  /** The scopes held on an account, or null for an account that is not the principal's. */
  scopesOn(accountSid: string): ReadonlySet<string> | null;
  /** Scopes held only inside single parts of an account, such as an inbox, by the SID of the part. They grant nothing on the account. */
  partScopes: ReadonlyMap<string, ReadonlySet<string>>;
  /** Requests per second this principal may make, where it differs from the default. */
  requestsPerSecond: number | null;
  /** The account it asks for is suspended: it may look, and change nothing. */
  suspended?: boolean;
  /** A session's id, where there is one. */
  sessionId: string | null;
  /** The version of its account's credentials it was read under, when that was not for this request. */
  version?: string;
};

/** How a principal is written down in stored records. */
export function principalName(principal: Principal): string {
  return `${principal.kind}:${principal.ref}`;
}

/**
 * A run of a workflow. It holds exactly the scopes its workflow was published with, on its own account and nowhere else. It passes
 * no step-up and asks for no approval: nobody is there who could answer for it.
 */
export function workflowPrincipal(
  runSid: string,
  { accountSid, livemode }: { accountSid: string; livemode: boolean },
  scopes: ReadonlySet<string>,
): Principal {
  return {
    kind: 'workflow',
    ref: runSid,
    accountSid,
    organizationId: null,
    livemode,
    scopesOn: (asked) => (asked === accountSid ? scopes : null),
    partScopes: new Map(),
    requestsPerSecond: null,
    sessionId: null,
  };
}

/** The platform acting by itself: jobs, sweeps, the command line. */
export function systemPrincipal(ref: string, livemode: boolean): Principal {
  return {
    kind: 'system',
    ref,
    accountSid: null,
    organizationId: null,
    livemode,
    scopesOn: () => new Set(),
    partScopes: new Map(),
    requestsPerSecond: null,
    sessionId: null,
  };
}
