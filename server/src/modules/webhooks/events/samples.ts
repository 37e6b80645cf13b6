// How the data of each kind of event looks. The identifiers are made up and name nothing.
import type { Tenant } from '../../../platform/db/database.ts';

export type SampleFacts = Tenant & { now: string };

const sid = (prefix: string) => `${prefix}01K3SAMP1E0000000000000000`;
const uuid = '01990000-0000-7000-8000-000000000000';

/** What every resource has. */
const resource = (object: string, { accountSid, livemode, now }: SampleFacts) => ({
  base: { object, sid: sid(prefixes[object] ?? 'EV'), accountSid, livemode },
  named: { object, id: uuid, accountSid, livemode },
  times: { createdAt: now, updatedAt: now },
});

const prefixes: Record<string, string> = {
  message: 'SM',
  contact: 'CT',
  consent: 'CV',
  suppression: 'SU',
  segment: 'SG',
  template: 'TM',
  waba: 'WB',
  flow: 'FL',
  sender: 'WA',
  media: 'ME',
  operation: 'OP',
  approval: 'AP',
  inbox: 'IB',
  conversation: 'CO',
  webhook_endpoint: 'WH',
};

export const ping = () => ({ object: 'ping', id: uuid, endpointSid: null, challenge: null });

const recipient = { identifierType: 'phone_e164', value: '+33612345678', contactSid: sid('CT') };
const instants = { queued: 0, sent: 1, delivered: 2, read: 3 } as Record<string, number>;

export const message = (status: string) => (facts: SampleFacts) => {
  const { base, times } = resource('message', facts);
  const reached = (name: string) => ((instants[status] ?? 0) >= (instants[name] ?? 0) ? facts.now : null);
  return {
    ...base,
    status,
    direction: 'outbound',
    from: sid('WA'),
    to: recipient,
    conversationSid: sid('CO'),
    senderPoolSid: null,
    type: 'text',
    content: { body: 'Your order is on its way.' },
    text: { body: 'Your order is on its way.' },
    contentSid: null,
    variables: null,
    category: 'utility',
    transport: 'cloud_api',
    transportOptions: null,
    metadata: { orderId: '1001' },
    tags: [],
    error: status === 'failed' ? failure : null,
    validityPeriodSeconds: null,
    deferIfCapped: false,
    statusCallbackUrl: null,
    statusCallbackSid: null,
    queuedAt: facts.now,
    sentAt: reached('sent'),
    deliveredAt: reached('delivered'),
    readAt: reached('read'),
    failedAt: status === 'failed' ? facts.now : null,
    ...times,
  };
};

const failure = {
  code: 'RECIPIENT_UNREACHABLE',
  type: 'provider_error',
  message: 'The recipient cannot be reached.',
  retryable: false,
  retryAfterSeconds: null,
  docUrl: 'http://localhost:8080/docs/errors#RECIPIENT_UNREACHABLE',
  providerCode: 131_026,
};

export const inboundMessage = (facts: SampleFacts) => {
  const { base, times } = resource('message', facts);
  return {
    ...base,
    status: 'received',
    direction: 'inbound',
    from: sid('WA'),
    to: recipient,
    conversationSid: sid('CO'),
    type: 'text',
    text: { body: 'When will it arrive?' },
    metadata: {},
    tags: [],
    error: null,
    ...times,
  };
};

export const contact = (facts: SampleFacts) => {
  const { base, times } = resource('contact', facts);
  return {
    ...base,
    status: 'ACTIVE',
    mergedInto: null,
    displayName: 'Inès Martin',
    locale: 'fr',
    timezone: 'Europe/Paris',
    attributes: { plan: 'gold' },
    identifiers: [{ identifierType: 'phone_e164', value: '+33612345678', scopeRef: null }],
    ...times,
  };
};

export const contactMerge = (status: 'MERGED' | 'REVERTED') => (facts: SampleFacts) => {
  const { named, times } = resource('contact_merge', facts);
  return {
    ...named,
    status,
    survivorContactSid: sid('CT'),
    mergedContactSid: 'CT01K3SAMP1E0000000000000001',
    reason: 'The same person',
    revertedAt: status === 'REVERTED' ? facts.now : null,
    ...times,
  };
};

export const conflict = (status: 'open' | 'resolved') => (facts: SampleFacts) => {
  const { named, times } = resource('contact_conflict', facts);
  return { ...named, status, resolution: status === 'open' ? null : 'dismiss', ...times };
};

export const consent = (facts: SampleFacts) => {
  const { base } = resource('consent', facts);
  return {
    ...base,
    contactSid: sid('CT'),
    purpose: 'MARKETING',
    status: 'OPTED_IN',
    source: 'FORM',
    createdAt: facts.now,
  };
};

export const suppression = (lifted: boolean) => (facts: SampleFacts) => {
  const { base, times } = resource('suppression', facts);
  return {
    ...base,
    contactSid: sid('CT'),
    reason: 'KEYWORD_OPT_OUT',
    scope: 'MARKETING',
    senderSid: null,
    source: 'STOP',
    active: !lifted,
    expiresAt: null,
    mirrorToProvider: false,
    mirroredAt: null,
    mirrorFailure: null,
    createdBy: 'system:sample',
    liftedAt: lifted ? facts.now : null,
    liftedBy: lifted ? 'system:sample' : null,
    liftReason: null,
    ...times,
  };
};

export const segment = (facts: SampleFacts) => {
  const { base, times } = resource('segment', facts);
  return {
    ...base,
    name: 'Gold customers',
    kind: 'DYNAMIC',
    filters: { attributes: { plan: 'gold' } },
    filterVersion: 1,
    memberCount: 42,
    materializedAt: facts.now,
    deletedAt: null,
    ...times,
  };
};

export const template = (status: string) => (facts: SampleFacts) => {
  const { base, times } = resource('template', facts);
  const about = { wabaSid: sid('WB'), name: 'order_update', language: 'en', category: 'UTILITY' };
  return { ...base, ...about, status, ...times };
};

export const waba = (status: string) => (facts: SampleFacts) => {
  const { base, times } = resource('waba', facts);
  return { ...base, name: 'Example Ltd', status, ...times };
};

export const portfolio = (facts: SampleFacts) => {
  const { named, times } = resource('portfolio', facts);
  const limits = {
    messaging: { tier: 'TIER_10K', limit: 10_000, used: 42, windowHours: 24 },
    phoneNumbers: { limit: 20, used: 2 },
    templates: [{ wabaSid: sid('WB'), limit: 250, used: 12 }],
  };
  const about = {
    name: 'Example Ltd',
    providerBusinessId: '200000000000001',
    limits,
    limitsUpdatedAt: facts.now,
  };
  return { ...named, ...about, ...times };
};

export const flow = (facts: SampleFacts) => {
  const { base, times } = resource('flow', facts);
  return { ...base, wabaSid: sid('WB'), name: 'Appointment', status: 'PUBLISHED', ...times };
};

export const sender = (status: string) => (facts: SampleFacts) => {
  const { base, times } = resource('sender', facts);
  return { ...base, wabaSid: sid('WB'), phoneNumber: '+33187654321', status, ...times };
};

export const media = (status: string) => (facts: SampleFacts) => {
  const { base, times } = resource('media', facts);
  return { ...base, type: 'IMAGE', mimeType: 'image/png', sizeBytes: 1024, status, ...times };
};

export const operation = (state: string) => (facts: SampleFacts) => {
  const { base, times } = resource('operation', facts);
  return { ...base, type: 'contacts.import', state, ...times };
};

export const approval = (state: string) => (facts: SampleFacts) => {
  const { base, times } = resource('approval', facts);
  return {
    ...base,
    action: 'ROLE_BINDING_CREATE',
    summary: 'Make somebody an owner',
    state,
    requestedBy: `user:${sid('US')}`,
    ...times,
  };
};

export const authorization = (facts: SampleFacts) => {
  const { named } = resource('authorization', facts);
  return {
    ...named,
    task: 'TEMPLATE_SUBMISSION',
    resourceRef: 'order_update',
    instruction: 'Please submit our template.',
    instructedBy: { type: 'api_key', ref: uuid },
    createdAt: facts.now,
  };
};

export const conversation = (status: 'open' | 'closed') => (facts: SampleFacts) => {
  const { base, times } = resource('conversation', facts);
  return {
    ...base,
    senderSid: sid('WA'),
    contactSid: sid('CT'),
    inboxSid: sid('IB'),
    status,
    assigneeSid: sid('US'),
    version: 4,
    mergedInto: null,
    composerHeldBy: null,
    composerHeldUntil: null,
    lastInboundAt: facts.now,
    lastMessageAt: facts.now,
    lastMessageSid: sid('SM'),
    closedAt: status === 'closed' ? facts.now : null,
    ...times,
  };
};

export const inbox = (facts: SampleFacts) => {
  const { base, times } = resource('inbox', facts);
  return { ...base, name: 'Support', memberCount: 1, ...times };
};

export const inboxMember = ({ accountSid, livemode, now }: SampleFacts) => ({
  object: 'inbox_member',
  accountSid,
  livemode,
  inboxSid: sid('IB'),
  userSid: sid('US'),
  createdAt: now,
});

export const roleBinding = (revoked: boolean) => (facts: SampleFacts) => ({
  object: 'role_binding',
  id: uuid,
  accountSid: facts.accountSid,
  principalType: 'USER',
  principalRef: sid('US'),
  role: 'DEVELOPER',
  scopeKind: 'ACCOUNT',
  environment: 'both',
  revokedAt: revoked ? facts.now : null,
  createdAt: facts.now,
});

export const webhook = (facts: SampleFacts) => {
  const { base, times } = resource('webhook_endpoint', facts);
  return {
    ...base,
    url: 'https://example.com/hooks',
    status: 'suspended',
    eventFilters: ['message.*'],
    suspendedAt: facts.now,
    ...times,
  };
};
