// Every event the service sends: its name, since which version of the API, what it says, and how its data looks. A type
// that is not here can be subscribed to by nobody who reads the catalogue, so a test holds the source against it.
import { invalid } from '../../../platform/errors/errors.ts';
import * as samples from './samples.ts';

type Sample = (facts: samples.SampleFacts) => object;

export type EventType = {
  name: string;
  /** The version of the API it first appeared in. */
  since: string;
  description: string;
  sample: Sample;
};

const first = '2026-05-04';
const second = '2026-08-21';

const type = (name: string, since: string, description: string, sample: Sample): EventType => ({
  name,
  since,
  description,
  sample,
});

export const eventTypes: EventType[] = [
  type('test.ping', first, 'A test, or the challenge that verifies an endpoint.', samples.ping),

  type('message.queued', first, 'A message was accepted and waits for its turn.', samples.message('queued')),
  type('message.scheduled', second, 'A message was accepted for later.', samples.message('scheduled')),
  type(
    'message.deferred',
    second,
    'A message waits until its recipient may get it.',
    samples.message('deferred'),
  ),
  type('message.sending', second, 'A message is being handed to the provider.', samples.message('sending')),
  type('message.sent', first, 'The provider took a message.', samples.message('sent')),
  type('message.delivered', first, 'A message reached its recipient.', samples.message('delivered')),
  type('message.read', first, 'The recipient read a message.', samples.message('read')),
  type('message.failed', first, 'A message failed; data.error says why.', samples.message('failed')),
  type(
    'message.canceled',
    first,
    'A message was canceled before it was handed over.',
    samples.message('canceled'),
  ),
  type(
    'message.expired',
    first,
    'A message was not sent within its validity period.',
    samples.message('expired'),
  ),
  type(
    'message.unknown',
    second,
    "The provider's answer was lost; the message is not sent again, and its final status follows.",
    samples.message('unknown'),
  ),
  type('message.received', first, 'A customer wrote.', samples.inboundMessage),

  type('conversation.opened', second, 'A customer wrote for the first time.', samples.conversation('open')),
  type(
    'conversation.assigned',
    second,
    'A conversation was given to somebody, or to nobody.',
    samples.conversation('open'),
  ),
  type('conversation.closed', second, 'A conversation was closed.', samples.conversation('closed')),
  type(
    'conversation.reopened',
    second,
    'A closed conversation goes on: a customer wrote again, or somebody opened it.',
    samples.conversation('open'),
  ),
  type(
    'conversation.moved',
    second,
    'A conversation went to another inbox, or out of its inbox.',
    samples.conversation('open'),
  ),

  type('contact.created', first, 'A contact was created.', samples.contact),
  type('contact.updated', first, 'A contact was changed.', samples.contact),
  type('contact.merged', first, 'Two contacts became one.', samples.contactMerge('MERGED')),
  type('contact.merge_reverted', first, 'A merge was taken back.', samples.contactMerge('REVERTED')),
  type(
    'contact.conflict_opened',
    first,
    'Identifiers of one request belong to two contacts.',
    samples.conflict('open'),
  ),
  type('contact.conflict_resolved', first, 'An identity conflict was settled.', samples.conflict('resolved')),
  type('consent.recorded', first, 'Consent was given, withdrawn or otherwise recorded.', samples.consent),
  type('suppression.created', first, 'A contact is left alone from now on.', samples.suppression(false)),
  type(
    'suppression.updated',
    second,
    'A suppression in force was made to last longer or to be mirrored.',
    samples.suppression(false),
  ),
  type('suppression.removed', first, 'A suppression was lifted.', samples.suppression(true)),

  type('segment.created', first, 'A segment was defined and cut.', samples.segment),
  type('segment.updated', first, 'A segment was redefined and cut again.', samples.segment),
  type('segment.refreshed', first, 'A segment was cut again with the filters it had.', samples.segment),
  type('segment.deleted', first, 'A segment was deleted.', samples.segment),

  type('waba.connected', first, 'A business messaging account was connected.', samples.waba('CONNECTED')),
  type('waba.updated', first, 'A business messaging account changed.', samples.waba('CONNECTED')),
  type('portfolio.updated', second, 'The limits of a portfolio changed.', samples.portfolio),
  type('waba.disconnected', first, 'A connection ended.', samples.waba('DISCONNECTED')),
  type('sender.connected', first, 'A sender can send.', samples.sender('CONNECTED')),
  type('sender.updated', first, 'A sender changed.', samples.sender('CONNECTED')),
  type('sender.disconnected', first, 'A sender was disconnected.', samples.sender('DISCONNECTED')),

  type(
    'template.created',
    first,
    'A template was made, or found at the provider.',
    samples.template('PENDING'),
  ),
  type('template.updated', first, 'A template was changed.', samples.template('APPROVED')),
  ...Object.entries({
    pending: 'A template is under review.',
    approved: 'A template was approved.',
    rejected: 'A template was rejected.',
    paused: 'A template was paused for its quality.',
    disabled: 'A template was disabled.',
    in_appeal: 'A decision about a template is being appealed.',
    pending_deletion: 'A template is being deleted.',
    deleted: 'A template was deleted.',
    limit_exceeded: 'A template exceeded a limit of the provider.',
    archived: 'A template was archived.',
    locked: 'A template was locked.',
  }).map(([status, description]) =>
    type(`template.${status}`, first, description, samples.template(status.toUpperCase())),
  ),
  type('flow.registered', first, 'A flow was registered.', samples.flow),
  type('flow.updated', first, 'A flow changed.', samples.flow),
  type('flow.forgotten', second, 'A flow is registered no more; it stays at the provider.', samples.flow),

  type('media.ready', first, 'A file was scanned and can be sent.', samples.media('READY')),
  type('media.rejected', first, 'A file was refused.', samples.media('REJECTED')),
  type('media.expired', second, 'A file was kept long enough and is gone.', samples.media('EXPIRED')),
  type('media.deleted', second, 'A file was deleted.', samples.media('DELETED')),

  type('operation.completed', first, 'An asynchronous operation is done.', samples.operation('completed')),
  type('operation.failed', first, 'An asynchronous operation failed.', samples.operation('failed')),
  type('operation.canceled', first, 'An asynchronous operation was canceled.', samples.operation('canceled')),

  type('approval.requested', first, 'An action waits for a second person.', samples.approval('PENDING')),
  type(
    'approval.approved',
    first,
    'A second person agreed, and the action ran.',
    samples.approval('APPROVED'),
  ),
  type('approval.rejected', first, 'A second person refused.', samples.approval('REJECTED')),
  type('approval.expired', first, 'Nobody decided in time.', samples.approval('EXPIRED')),
  type(
    'authorization.recorded',
    first,
    'An instruction to act for the business was recorded.',
    samples.authorization,
  ),
  type('inbox.created', first, 'An inbox was created.', samples.inbox),
  type('inbox.updated', first, 'An inbox was changed.', samples.inbox),
  type('inbox.member_added', first, 'Somebody joined an inbox.', samples.inboxMember),
  type('inbox.member_removed', first, 'Somebody left an inbox.', samples.inboxMember),
  type('role_binding.created', first, 'Somebody was given a role.', samples.roleBinding(false)),
  type('role_binding.revoked', first, 'A role was taken back.', samples.roleBinding(true)),

  type(
    'webhook.suspended',
    first,
    'An endpoint kept failing and gets nothing until it is resumed. What it missed can be redelivered.',
    samples.webhook,
  ),
];

const byName = new Map(eventTypes.map((known) => [known.name, known]));

export function requireEventType(path: string, name: string): EventType {
  const known = byName.get(name);
  if (known) return known;
  throw invalid({ path, issue: 'is not an event type; GET …/webhook-event-types lists them' });
}
