// @godwit/sdk
export type { CallOptions, ClientOptions, Fetch } from './core/client.ts';
export { Client } from './core/client.ts';
export {
  bearer,
  type CookieOptions,
  type Credentials,
  cookies,
  type SigningKey,
  signed,
} from './core/credentials.ts';
export { type Asked, ConnectionError, GodwitError, type Refusal } from './core/errors.ts';
export { type List, Pages } from './core/pages.ts';
export type { Patience } from './core/retry.ts';
export { Events, type EventsOf, type FollowOptions } from './events.ts';
export * from './generated/apis.ts';
export type * from './generated/models.ts';
export { Godwit } from './godwit.ts';
export { Operations, type WaitOptions } from './operations.ts';
export { applyStatus } from './statuses.ts';
export { type VerifyOptions, verifyWebhook, WebhookSignatureError, Webhooks } from './webhooks.ts';
export { type ErrorCode, errorCodes } from './words/error-codes.ts';
export type { Other } from './words/other.ts';
export { type Scope, scopes } from './words/scopes.ts';
