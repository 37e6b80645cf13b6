// Where each error of the catalogue comes from, and the test that provokes it. `npm run generate` writes the table into
// docs/generated/error-codes.md, and refuses a row whose operation or test is not there.
import type { ErrorCode } from '../src/platform/errors/errors.ts';

/** Operations by their ids, or in words where it is not an operation that answers with it. */
type Raised = { raisedBy: string[] | string; file: string; test: string };
/** Nothing can raise it yet: the feature that will. */
type Open = { opensWith: string };
export type Origin = Raised | Open;

const raised = (raisedBy: Raised['raisedBy'], file: string, test: string): Raised => ({
  raisedBy,
  file,
  test,
});
const opensWith = (feature: string): Open => ({ opensWith: feature });

const everyOperation = 'every operation that needs credentials';
const messageError = "a message's `error`, from the provider";
const sends = ['sendMessage', 'sendMessages', 'preflightMessage'];

const modules = 'server/src/modules';
const gates = `${modules}/messages/gates/gates.test.ts`;
const sending = `${modules}/messages/send-messages.test.ts`;
const dispatching = `${modules}/messages/dispatch/dispatcher.test.ts`;
const signing = `${modules}/api-keys/request-signature.test.ts`;
const migrating = `${modules}/number-migrations/number-migrations.test.ts`;
const failures = 'server/test/scenarios/provider-failures.test.ts';
const byGate = (test: string) => raised(sends, gates, test);
const byProvider = (code: ErrorCode) => raised(messageError, failures, code);

export const errorOrigins: Record<ErrorCode, Origin> = {
  AUTHENTICATION_ERROR: raised(everyOperation, 'server/test/every-operation.test.ts', ' answers 401'),
  API_KEY_DISABLED: raised(
    everyOperation,
    `${modules}/api-keys/authenticate.test.ts`,
    'that a key is disabled is told only to whoever holds it',
  ),
  SIGNATURE_REQUIRED: raised(everyOperation, signing, 'a key that demands signatures takes nothing else'),
  SIGNATURE_INVALID: raised(
    everyOperation,
    signing,
    'a signature covers the whole request: any change breaks it',
  ),
  SIGNATURE_REPLAYED: raised(
    everyOperation,
    signing,
    'a signed request is taken once, also when it was refused later on',
  ),
  SIGNING_UNAVAILABLE: raised(everyOperation, signing, 'while nonces cannot be kept nothing is processed'),
  CAPTCHA_REQUIRED: raised(
    ['signIn', 'recoverPassword', 'submitOptInForm'],
    `${modules}/identity/sign-in/sign-in.test.ts`,
    'is met with a challenge after 5 failures, which also the right password must bring',
  ),
  CAPTCHA_INVALID: raised(
    ['signIn', 'recoverPassword', 'submitOptInForm'],
    `${modules}/identity/sign-in/sign-in.test.ts`,
    'a solved challenge works once, for 10 minutes, and only as it was given out',
  ),

  AUTHORIZATION_ERROR: raised(everyOperation, 'server/test/every-operation.test.ts', ' answers 403'),
  STEP_UP_REQUIRED: raised(
    'every operation that declares a step-up action',
    `${modules}/identity/policy/policy.test.ts`,
    'needs a second factor from everyone, keys included',
  ),
  APPROVAL_REQUIRED: raised(
    ['createRoleBinding'],
    `${modules}/roles/role-bindings.test.ts`,
    'the only one makes the second alone; the third needs the word of another',
  ),

  VALIDATION_ERROR: raised(
    'every operation',
    'server/test/every-operation.test.ts',
    ' demands an Idempotency-Key of 1 to 255 printable characters',
  ),
  NOT_FOUND: raised(
    'every operation that names a resource',
    `${modules}/authorizations/authorizations.test.ts`,
    'an instruction of another account, of the other environment or of nobody does not exist, all alike',
  ),
  METHOD_NOT_ALLOWED: raised(
    'every path',
    'server/test/every-operation.test.ts',
    'a path refuses those it does not declare with a 405 that lists the right ones',
  ),
  CAPABILITY_UNAVAILABLE: raised(
    [
      'triggerEvent',
      'startBillingModeSwitch',
      'publishWorkflow',
      'launchCampaign',
      'createSubaccount',
      ...sends,
    ],
    `${modules}/webhooks/deliveries/redeliver.test.ts`,
    'are emitted as samples in a sandbox only',
  ),
  MEDIA_NOT_READY: raised(
    ['getMediaContent', 'createMediaUpload', ...sends],
    `${modules}/media/media.test.ts`,
    'nobody gets content before the scan',
  ),
  MEDIA_REJECTED: raised(
    ['getMediaContent', 'createMediaUpload', ...sends],
    `${modules}/media/media.test.ts`,
    'a refused file is REJECTED with the reasons, has no content, and is announced',
  ),
  RECIPIENT_ADDRESSING_UNSUPPORTED: raised(
    sends,
    sending,
    'reaches whoever owns a username by their number, and nobody else',
  ),
  RECIPIENT_USERNAME_INVALID: raised(
    sends,
    sending,
    'reaches whoever owns a username by their number, and nobody else',
  ),
  STATUS_CALLBACK_NOT_VERIFIED: raised(
    sends,
    sending,
    'names what it cannot find, in this account and this environment only',
  ),
  TEMPLATE_NAME_LOCKED: raised(
    ['createTemplate'],
    `${modules}/templates/templates.test.ts`,
    'locks the name for 30 days, to the moment',
  ),
  TEMPLATE_CAP_REACHED: raised(
    ['createTemplate'],
    `${modules}/templates/templates.test.ts`,
    'the cap holds for creations at once',
  ),

  IDEMPOTENCY_KEY_REUSED: raised(
    'every operation that takes an Idempotency-Key',
    'server/src/platform/http/operations/idempotency.test.ts',
    'the same key with another body, path or method is refused and changes nothing',
  ),
  IDEMPOTENCY_IN_PROGRESS: raised(
    'every operation that takes an Idempotency-Key',
    'server/src/platform/http/operations/idempotency.test.ts',
    '200 requests at once with one key make one effect',
  ),

  RATE_LIMITED: raised(
    'every operation',
    `${modules}/identity/sign-in/sign-in.test.ts`,
    'with solved challenges still ends at 25 in a quarter of an hour',
  ),
  PROVIDER_RATE_LIMITED: raised(
    'operations that ask the provider, and dispatch, which waits and tries again',
    'server/src/adapters/whatsapp/provider.test.ts',
    'a refusal is explained in our words and in theirs',
  ),

  // The gate refuses it already; nothing suspends an account.
  ACCOUNT_SUSPENDED: raised(
    'every operation that changes something in an account',
    `${modules}/accounts/suspension.test.ts`,
    'is refused every change and every message, by every kind of credential, and may look at everything',
  ),
  PLAN_MESSAGE_QUOTA_EXCEEDED: raised(
    sends,
    `${modules}/plans/plans.test.ts`,
    'is reached by exactly as many messages as it allows, and refuses the others one by one',
  ),
  INSUFFICIENT_FUNDS: raised(
    sends,
    sending,
    'is never spent twice: of many sends at once exactly those are accepted that can be paid',
  ),
  SENDER_NOT_READY: raised([...sends], dispatching, 'that is gone fails them'),
  SENDER_RESTRICTED: byGate('the sender is flagged'),
  SENDER_TEMPLATE_RESTRICTED: byGate('SENDER_TEMPLATE_RESTRICTED'),
  TEMPLATE_NOT_APPROVED: byGate('TEMPLATE_NOT_APPROVED'),
  TEMPLATE_PAUSED: byGate('TEMPLATE_PAUSED'),
  SERVICE_WINDOW_CLOSED: byGate('needs a service window as every other does'),
  CONSENT_REQUIRED: raised(sends, sending, 'leaves nothing behind, and its key may be used again'),
  CONTACT_SUPPRESSED: raised([...sends], dispatching, 'to somebody suppressed meanwhile is not handed over'),
  RECIPIENT_OPTED_OUT: byGate('RECIPIENT_OPTED_OUT'),
  RECIPIENT_MARKETING_CAP: byGate('RECIPIENT_MARKETING_CAP'),
  DESTINATION_POLICY_BLOCKED: byGate('DESTINATION_POLICY_BLOCKED'),
  MARKET_EXCLUDED: byGate('MARKET_EXCLUDED'),
  PORTFOLIO_LIMIT_EXHAUSTED: byGate('PORTFOLIO_LIMIT_EXHAUSTED'),
  TRANSPORT_CATEGORY_MISMATCH: byGate('TRANSPORT_CATEGORY_MISMATCH'),
  RISK_BLOCKED: byGate('RISK_BLOCKED'),
  COEXISTENCE_DEREGISTER_UNSUPPORTED: raised(
    ['createMigration'],
    `${modules}/number-migrations/judge.test.ts`,
    'of a number ',
  ),
  PHONE_NUMBER_CAP_REACHED: raised(
    ['createSender'],
    `${modules}/wabas/wabas.test.ts`,
    'numbers are capped over the portfolio, also for those who come at once',
  ),
  ONBOARDING_NOT_PERMITTED: raised(
    ['createSender'],
    `${modules}/wabas/wabas.test.ts`,
    'live needs the ids and a token; the sandbox refuses them',
  ),
  RESIDENCY_POLICY_MISMATCH: opensWith('regions'),
  FLOW_BLOCKED: byGate('FLOW_BLOCKED'),

  CONFLICT: raised(
    'operations whose resource is in another state',
    `${modules}/identity/policy/policy.test.ts`,
    'a stale version is a conflict that names the current one and changes nothing',
  ),
  REGION_OWNERSHIP_CONFLICT: opensWith('regions'),
  MESSAGE_NOT_CANCELABLE: raised(
    ['cancelMessage'],
    sending,
    'comes too late once the message was handed over',
  ),
  MESSAGE_EXPIRED: raised(
    "a message's `error`",
    dispatching,
    'that passed before the turn came ends the message unsent, and gives its money back',
  ),
  OPERATION_NOT_RETRYABLE: raised(
    ['retryOperation'],
    `${modules}/operations/operations.test.ts`,
    'cannot be retried while it runs, or when it succeeded',
  ),
  ONBOARDING_CODE_EXPIRED: raised(
    ['submitMigrationVerificationCode'],
    migrating,
    'that is over ten minutes old is refused with ONBOARDING_CODE_EXPIRED, and another can be had by a call',
  ),
  WABA_NOT_CONNECTED: raised(
    ['createMediaUpload', 'createTemplate', 'syncTemplates', ...sends],
    `${modules}/media/transfer/template-headers.test.ts`,
    'without a connection to the provider there is nowhere to upload to',
  ),
  CONVERSATION_VERSION_CONFLICT: raised(
    ['assignConversation', 'closeConversation', 'reopenConversation', 'moveConversation'],
    `${modules}/conversations/conversations.test.ts`,
    'takes the version that was seen, and answers with the next',
  ),
  COMPOSER_CLAIM_CONFLICT: raised(
    ['acquireComposerClaim', ...sends],
    `${modules}/messages/admission/judge-replies.test.ts`,
    "is refused while somebody else writes, also with that one's token",
  ),
  COMPOSER_CLAIM_REQUIRED: raised(
    ['renewComposerClaim', ...sends],
    `${modules}/messages/admission/judge-replies.test.ts`,
    'is refused without a claim, with one that ran out, and with a made-up one',
  ),
  FLOW_NOT_PUBLISHED: byGate('the flow is a draft'),
  FLOW_ENCRYPTION_KEY_MISSING: byGate('FLOW_ENCRYPTION_KEY_MISSING'),
  MARKETING_MESSAGES_NOT_ONBOARDED: byGate('MARKETING_MESSAGES_NOT_ONBOARDED'),
  ANALYTICS_RANGE_UNAVAILABLE: raised(
    ['getMessageAnalytics'],
    `${modules}/analytics/routes.test.ts`,
    'in detail goes back 7 days and no further',
  ),

  PROVIDER_TEMPORARY_ERROR: raised(
    'operations that ask the provider, and dispatch, which waits and tries again',
    dispatching,
    'that never passes ends the message in the end, and gives its money back',
  ),
  PROVIDER_PERMANENT_ERROR: byProvider('PROVIDER_PERMANENT_ERROR'),
  PROVIDER_RESULT_UNKNOWN: raised(
    "a message's `error`",
    dispatching,
    'leaves the message unknown, and it is never sent again',
  ),
  PROVIDER_TOKEN_INVALID: byProvider('PROVIDER_TOKEN_INVALID'),
  WABA_RESTRICTED: byGate('the account is disabled'),
  PAYMENT_REQUIRED: byProvider('PAYMENT_REQUIRED'),
  REGISTRATION_ERROR: raised(
    "a migration's `error`, from the provider",
    migrating,
    'that is wrong five times ends the migration; the sender is where it was, and another migration may begin',
  ),
  MEDIA_PROVIDER_ERROR: byProvider('MEDIA_PROVIDER_ERROR'),
  FLOW_ERROR: byProvider('FLOW_ERROR'),
  MARKETING_MESSAGES_ERROR: byProvider('MARKETING_MESSAGES_ERROR'),
  RECIPIENT_UNREACHABLE: byProvider('RECIPIENT_UNREACHABLE'),
  RECIPIENT_IN_EXPERIMENT: byProvider('RECIPIENT_IN_EXPERIMENT'),
  TEMPLATE_PROVIDER_ERROR: byProvider('TEMPLATE_PROVIDER_ERROR'),
  DISPLAY_NAME_NOT_APPROVED: byProvider('DISPLAY_NAME_NOT_APPROVED'),

  INTERNAL_TEMPORARY_ERROR: raised(
    'every operation',
    'server/test/process/outage.test.ts',
    'the service says that it is not ready, and answers what may be repeated',
  ),
  REGION_DIRECTORY_UNAVAILABLE: opensWith('regions'),
  REGIONAL_API_UNAVAILABLE: opensWith('regions'),
  INTERNAL_PERMANENT_ERROR: raised(
    'every operation',
    'server/test/process/logs.test.ts',
    'the log names what happened and nothing that was said, whatever goes wrong',
  ),
  MESSAGE_BUILD_FAILED: raised(
    "a message's `error`",
    dispatching,
    'answers and reacts to what the provider knows by its own name',
  ),
  WEBHOOK_DELIVERY_ERROR: raised(
    ['verifyWebhook'],
    `${modules}/webhooks/endpoints/endpoints.test.ts`,
    ', and says why',
  ),
};
