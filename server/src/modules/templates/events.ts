import { declareEvents } from '../../platform/events.ts';
import { sampleTime } from '../../platform/samples.ts';
import type { TemplateStatus } from './find-template.ts';
import { Template, templateSample } from './schema.ts';

const since = '2026-05-04';
const unapproved = { status: 'PENDING', approvedAt: null } as const;

/** One for every status a template can come to, and two for what leaves its status alone. */
export const templateEvents = declareEvents('template', Template, templateSample, {
  created: {
    since,
    description: 'A template was made, or found at the provider.',
    sample: { ...unapproved, providerTemplateId: null, pendingChange: 'CREATE' },
  },
  updated: { since, description: 'A template was changed.' },
  pending: { since, description: 'A template is under review.', sample: unapproved },
  approved: { since, description: 'A template was approved.' },
  rejected: {
    since,
    description: 'A template was rejected.',
    sample: { ...unapproved, status: 'REJECTED', rejectedReason: 'INVALID_FORMAT' },
  },
  paused: {
    since,
    description: 'A template was paused for its quality.',
    sample: { status: 'PAUSED', quality: 'RED' },
  },
  disabled: { since, description: 'A template was disabled.', sample: { status: 'DISABLED' } },
  in_appeal: {
    since,
    description: 'A decision about a template is being appealed.',
    sample: { ...unapproved, status: 'IN_APPEAL' },
  },
  pending_deletion: {
    since,
    description: 'A template is being deleted.',
    sample: { status: 'PENDING_DELETION' },
  },
  deleted: {
    since,
    description: 'A template was deleted.',
    sample: { status: 'DELETED', deletedAt: sampleTime },
  },
  limit_exceeded: {
    since,
    description: 'A template exceeded a limit of the provider.',
    sample: { status: 'LIMIT_EXCEEDED' },
  },
  archived: { since, description: 'A template was archived.', sample: { status: 'ARCHIVED' } },
  locked: { since, description: 'A template was locked.', sample: { status: 'LOCKED' } },
});

/** The event of coming to a status. A draft is where a template begins: none becomes one. */
export const eventOfStatus = (status: TemplateStatus) =>
  templateEvents[status.toLowerCase() as Lowercase<Exclude<TemplateStatus, 'DRAFT'>>];
