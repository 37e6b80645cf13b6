// What can go wrong, as the provider words it. `code` is the only field a client may branch on.

type Kind = { http: number; title: string; transient?: true };

const entry = (http: number, title: string, transient?: true): Kind => ({ http, title, transient });

/** Codes of sending and of management calls. A code that is not here is answered as a plain bad request. */
export const errorKinds: Readonly<Record<number, Kind>> = {
  0: entry(401, 'The access token could not be used.'),
  1: entry(400, 'An unknown error occurred.'),
  2: entry(503, 'Service temporarily unavailable.', true),
  3: entry(500, 'The app does not have the capability to make this call.'),
  4: entry(400, 'Application request limit reached', true),
  10: entry(403, 'The app does not have permission for this action.'),
  33: entry(400, 'The business phone number has been deleted.'),
  100: entry(400, 'Invalid parameter'),
  190: entry(401, 'Invalid OAuth access token.'),
  192: entry(400, 'Invalid phone number'),
  200: entry(403, 'Permissions error'),
  368: entry(403, 'Temporarily blocked for policies violations'),
  613: entry(400, 'Calls to this API have exceeded the rate limit.', true),
  803: entry(404, 'Some of the aliases you requested do not exist'),
  1026: entry(400, 'Receiver incapable'),
  2500: entry(400, 'Unknown path components'),
  80007: entry(400, 'Rate limit issues', true),
  80008: entry(400, 'There have been too many calls to this WhatsApp Business account.', true),
  130403: entry(400, 'The user is blocked by the business'),
  130429: entry(400, 'Rate limit hit', true),
  130472: entry(400, "User's number is part of an experiment"),
  130497: entry(403, 'Business account is restricted from messaging users in this country'),
  131000: entry(500, 'Something went wrong', true),
  131005: entry(403, 'Access denied'),
  131008: entry(400, 'Required parameter is missing'),
  131009: entry(400, 'Parameter value is not valid'),
  131016: entry(500, 'Service unavailable', true),
  131020: entry(400, 'Group message could not be sent'),
  131021: entry(400, 'Recipient cannot be sender'),
  131026: entry(400, 'Message undeliverable'),
  131030: entry(400, 'Recipient phone number not in allowed list'),
  131031: entry(403, 'Account has been locked'),
  131037: entry(400, 'The phone number has no approved display name'),
  131041: entry(400, 'Group is not available'),
  131042: entry(400, 'Business eligibility payment issue'),
  131044: entry(400, 'Calling is not available'),
  131045: entry(500, 'Incorrect certificate'),
  131047: entry(400, 'Re-engagement message'),
  131048: entry(400, 'Spam rate limit hit'),
  131049: entry(400, 'Meta chose not to deliver'),
  131050: entry(400, 'User stopped marketing messages'),
  131051: entry(400, 'Unsupported message type'),
  131052: entry(400, 'Media download error'),
  131053: entry(400, 'Media upload error'),
  131055: entry(400, 'Only marketing templates are supported'),
  131056: entry(400, 'Pair rate limit hit', true),
  131057: entry(500, 'Account in maintenance mode', true),
  131059: entry(400, 'Group limit reached'),
  131060: entry(400, 'Message not available'),
  131061: entry(400, 'Maximum-price template on the wrong endpoint'),
  131062: entry(400, 'Business-scoped user ids are not supported for this message'),
  131063: entry(400, 'Marketing messages are disabled on Cloud API'),
  131064: entry(400, 'Sending limited because of template category violations'),
  131201: entry(400, 'Group messaging error'),
  132000: entry(400, 'Number of parameters does not match the expected number of params'),
  132001: entry(404, 'Template name does not exist in the translation'),
  132005: entry(400, 'Template hydrated text too long'),
  132007: entry(400, 'Template format character policy violated'),
  132008: entry(400, 'Template parameter error'),
  132012: entry(400, 'Parameter format does not match format in the created template'),
  132015: entry(400, 'Template is paused'),
  132016: entry(400, 'Template is disabled'),
  132018: entry(400, 'Template parameters are not valid'),
  132068: entry(400, 'Flow is blocked'),
  132069: entry(400, 'Flow is throttled'),
  133000: entry(500, 'Incomplete deregistration', true),
  133004: entry(503, 'Server temporarily unavailable', true),
  133005: entry(400, 'Two-step verification PIN mismatch'),
  133006: entry(400, 'Phone number re-verification needed'),
  133008: entry(400, 'Too many two-step verification PIN guesses'),
  133009: entry(400, 'Two-step verification PIN guessed too fast'),
  133010: entry(400, 'Phone number not registered'),
  133015: entry(400, 'Please wait a few minutes before attempting to register this phone number'),
  133016: entry(400, 'Register or deregister attempts exceeded'),
  134011: entry(400, 'WhatsApp Payments terms of service have not been accepted'),
  134100: entry(400, 'Only marketing templates can be sent'),
  134101: entry(400, 'Template is still syncing', true),
  134102: entry(500, 'Template cannot be used with Marketing Messages'),
  134103: entry(400, 'Marketing message could not be sent'),
  135000: entry(400, 'Generic user error'),
  136024: entry(400, 'Phone number is already verified, or a code cannot be sent now'),
  136025: entry(400, 'Verification code is wrong or expired'),
  137000: entry(400, 'Recipient identity key hash does not match'),
  138000: entry(400, 'Calling is not enabled'),
  139000: entry(400, 'Flow blocked by integrity'),
  139001: entry(400, 'Flow cannot be updated'),
  139002: entry(400, 'Flow cannot be published'),
  139003: entry(400, 'Flow cannot be deprecated'),
  139004: entry(400, 'Flow cannot be deleted'),
  139006: entry(400, 'Too little data for metrics'),
  139100: entry(400, 'Some users could not be blocked or unblocked'),
  139101: entry(400, 'The block list is full'),
  139102: entry(400, 'The block list changed while it was read', true),
  139103: entry(400, 'Internal error of the block list', true),
  147001: entry(400, 'The username is not available'),
  147002: entry(400, 'The messaging limit is too low for a username'),
  147003: entry(400, 'The Facebook Page is not linked'),
  147004: entry(400, 'The Instagram account is not linked'),
  147005: entry(400, 'The username belongs to another number of the portfolio'),
  200002: entry(400, 'Template creation failed'),
  200005: entry(400, 'Template insights are not available'),
  200006: entry(400, 'Template insights cannot be switched off'),
  200007: entry(400, 'Template insights are not switched on'),
  1752041: entry(400, 'Onboarding was already requested'),
  2494100: entry(400, 'The phone number is in maintenance', true),
  2494164: entry(400, 'Embedded Signup failed'),
  2593079: entry(400, 'The on-behalf-of model has ended'),
  2593085: entry(400, 'The on-behalf-of model has ended'),
  2593107: entry(400, 'The synchronisation was already requested'),
  2593108: entry(400, 'The time for the synchronisation is over'),
};

const unlisted = entry(400, 'The request could not be served');
const kindOf = (code: number) => errorKinds[code] ?? unlisted;

// Platform codes come with free text, WhatsApp's with `(#code) title`; 100 does too.
const isBare = (code: number) => code < 1000 && code !== 100;
const isMessaging = (code: number) => code >= 130_000 && code < 140_000;

type Extra = {
  http?: number;
  subcode?: number;
  type?: string;
  userTitle?: string;
  userMessage?: string;
};

export class GraphError extends Error {
  override name = 'GraphError';
  readonly code: number;
  readonly details: string;
  readonly extra: Extra;

  constructor(code: number, details: string, extra: Extra = {}) {
    super(`${code}: ${details}`);
    this.code = code;
    this.details = details;
    this.extra = extra;
  }

  get http(): number {
    return this.extra.http ?? kindOf(this.code).http;
  }
}

/** The error envelope, section for section as the provider answers. */
export function envelopeOf({ code, details, extra }: GraphError, fbtraceId: string) {
  const { title, transient } = kindOf(code);
  const message = isBare(code) ? details || title : `(#${code}) ${code === 100 ? details : title}`;
  return {
    error: {
      message,
      type: extra.type ?? 'OAuthException',
      code,
      ...(extra.subcode !== undefined && { error_subcode: extra.subcode }),
      ...(isMessaging(code) && { error_data: { messaging_product: 'whatsapp', details } }),
      ...(transient && { is_transient: true }),
      ...(extra.userTitle !== undefined && {
        error_user_title: extra.userTitle,
        error_user_msg: extra.userMessage ?? details,
      }),
      fbtrace_id: fbtraceId,
    },
  };
}

/** The same failure inside a `failed` status or an inbound message, where `message` repeats the title. */
export function errorItem(code: number, details: string) {
  const { title } = kindOf(code);
  return {
    code,
    title,
    message: title,
    error_data: { details },
    href: '/documentation/business-messaging/whatsapp/support/error-codes',
  };
}

/** An object that does not exist and one the token may not see look the same. */
export function unknownObject(id: string): GraphError {
  return new GraphError(
    100,
    `Unsupported request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
    { subcode: 33, type: 'GraphMethodException' },
  );
}
