// The built-in roles. A role is a list of scopes; nobody can grant one that holds more than they hold themselves.

const everyone = ['api:access', 'notifications:read', 'notifications:write'];

const reads = [
  'accounts:read',
  'api_keys:read',
  'approvals:read',
  'billing:read',
  'contacts:read',
  'inboxes:read',
  'legal_holds:read',
  'media:read',
  'messages:read',
  'migrations:read',
  'operations:read',
  'portfolios:read',
  'privacy:read',
  'provider_changes:read',
  'senders:read',
  'users:read',
  'wabas:read',
  'webhooks:read',
];

const administration = [
  ...everyone,
  ...reads,
  'accounts:write',
  'api_keys:write',
  'approvals:write',
  'audit:read',
  'billing:write',
  'contacts:write',
  'inboxes:write',
  'legal_holds:manage',
  'legal_holds:write',
  'media:write',
  'messages:send',
  'migrations:write',
  'operations:write',
  'privacy:write',
  'retention:write',
  'roles:write',
  'users:write',
  'wabas:write',
  'webhooks:write',
];

const development = [
  'accounts:read',
  'api_keys:read',
  'api_keys:write',
  'contacts:read',
  'contacts:write',
  'media:read',
  'media:write',
  'messages:read',
  'messages:send',
  'operations:read',
  'operations:write',
  'portfolios:read',
  'provider_changes:read',
  'senders:read',
  'wabas:read',
  'webhooks:read',
  'webhooks:write',
];

const compliance = [
  'approvals:read',
  'audit:read',
  'contacts:read',
  'legal_holds:read',
  'legal_holds:write',
  'privacy:read',
  'privacy:write',
  'retention:write',
];

export const roleCatalogue = {
  OWNER: {
    summary: 'Everything in the organization, including who else owns it',
    // What only an owner can do: accept commercial terms, and make another owner.
    scopes: [...administration, 'billing_mode:accept', 'organization:own'],
  },
  ADMIN: { summary: 'Runs the organization, without owning it', scopes: administration },
  DEVELOPER: { summary: 'Builds on the API: keys, webhooks, sending', scopes: [...everyone, ...development] },
  BILLING_MANAGER: {
    summary: 'Wallets, invoices and payments',
    scopes: [
      ...everyone,
      'accounts:read',
      'approvals:read',
      'approvals:write',
      'billing:read',
      'billing:write',
    ],
  },
  COMPLIANCE_MANAGER: {
    summary: 'Privacy requests, retention and legal holds',
    scopes: [...everyone, ...compliance, 'legal_holds:manage'],
  },
  INBOX_MANAGER: {
    summary: 'Inboxes, workflows and the people who answer',
    scopes: [
      ...everyone,
      'contacts:read',
      'contacts:write',
      'inboxes:read',
      'inboxes:write',
      'media:read',
      'media:write',
      'messages:read',
      'messages:send',
      'operations:read',
      'senders:read',
      'users:read',
    ],
  },
  AGENT: {
    summary: 'Answers in the inboxes it belongs to',
    scopes: [
      ...everyone,
      'contacts:read',
      'inboxes:read',
      'media:read',
      'media:write',
      'messages:read',
      'messages:send',
    ],
  },
  VIEWER: { summary: 'Looks at everything but secrets and the audit chain', scopes: [...everyone, ...reads] },
  PLATFORM_STAFF: {
    summary: 'The operator of the platform, on behalf of a customer',
    // Money is forgiven by the platform and not by the customer: staff decides what waits for its consent.
    scopes: [
      ...everyone,
      ...reads,
      'approvals:write',
      'audit:read',
      'billing:write',
      'legal_holds:write',
      'platform:staff',
    ],
  },
  // Without `legal_holds:manage`, which is the account's own compliance: what the platform holds needs an approval.
  PLATFORM_COMPLIANCE: {
    summary: "The operator's compliance: holds placed by the platform",
    scopes: [...everyone, ...reads, ...compliance, 'approvals:write', 'platform:compliance'],
  },
} as const satisfies Record<string, { summary: string; scopes: readonly string[] }>;

export type Role = keyof typeof roleCatalogue;

export const isRole = (name: string): name is Role => Object.hasOwn(roleCatalogue, name);

export const scopesOfRole = (role: Role): readonly string[] =>
  [...new Set(roleCatalogue[role].scopes)].sort();
