import { accountPath, Closed } from '../../platform/http/input/schema.ts';
import { operation } from '../../platform/http/operations/operation.ts';
import { getPolicy, previewPolicy, setPolicy } from './policy.ts';
import { ChangedPolicy, NewPolicy, PreviewQuery, RetentionPolicy, RetentionPreview } from './schema.ts';

const tag = 'Retention';
const path = '/v1/accounts/{accountSid}/privacy/retention-policy';

export const operations = [
  operation({
    id: 'getRetentionPolicy',
    method: 'GET',
    path,
    summary: 'Get how long data is kept',
    description:
      'A null window keeps data until the customer deletes it, and so does a policy that was never set.',
    tag,
    access: ['privacy:read'],
    params: Closed(accountPath),
    responses: { 200: RetentionPolicy },
    handler: (t) => getPolicy(t),
  }),
  operation({
    id: 'setRetentionPolicy',
    method: 'PUT',
    path,
    summary: 'Set how long data is kept',
    description:
      'Replaces all three windows; `analyticsMonths` that is left out keeps analytics until they are deleted. A shorter window needs a ' +
      'second factor (`RETENTION_POLICY_CHANGE`) and counts 24 hours later (`effectiveFrom`), so that it can be taken back; a longer one ' +
      'counts at once. `nextRun` tells what the next run removes.',
    tag,
    access: ['retention:write'],
    idempotency: 'required',
    stepUp: { action: 'RETENTION_POLICY_CHANGE', from: 'everyone', askedBy: 'handler' },
    params: Closed(accountPath),
    body: NewPolicy,
    responses: { 200: ChangedPolicy },
    example: {
      messageContentDays: 90,
      messageMetadataMonths: 24,
      analyticsMonths: 24,
      stepUpToken: 'from POST identity/step-up',
    },
    handler: (t, { body, stepUp }) => setPolicy(t, body, () => stepUp(t)),
  }),
  operation({
    id: 'previewRetentionPolicy',
    method: 'GET',
    path: `${path}/preview`,
    summary: 'Preview what a retention policy removes',
    description:
      'What a run would remove at this moment under these windows, by its own rules and legal holds; nothing changes. A window that is left ' +
      'out keeps that data. `exact` is false where there is too much to count: more goes than is told.',
    tag,
    access: ['privacy:read'],
    params: Closed(accountPath),
    query: PreviewQuery,
    responses: { 200: RetentionPreview },
    handler: (t, { query }) => previewPolicy(t, query),
  }),
];
