// Why a message failed, as its error tells it.
import { type ErrorCode, errorCatalogue } from '../../platform/errors/error-catalogue.ts';
import { docUrlOf, errorPageOf } from '../../platform/errors/errors.ts';
import type { ProviderFailure } from '../provider/index.ts';
import type { MessageError } from './schema.ts';

/** An error as it is kept: where it is explained follows from its code. */
export type KeptError = Omit<MessageError, 'docUrl'>;

export function messageError(code: ErrorCode, providerCode: number | null = null): KeptError {
  const { type, message, retryable, retryAfterSeconds } = errorCatalogue[code];
  return { code, type, message, retryable, retryAfterSeconds, providerCode };
}

/** An error as it is told. Those kept before errors told how long to wait have the catalogue's time. */
export function toldError(site: { publicUrl: string }, error: KeptError | null): MessageError | null {
  if (error === null) return null;
  const code = error.code as ErrorCode;
  const retryAfterSeconds = error.retryable ? (error.retryAfterSeconds ?? waitFor(code)) : null;
  return { ...error, retryAfterSeconds, docUrl: docUrlOf(errorPageOf(site), code) };
}

const waitFor = (code: ErrorCode): number =>
  errorCatalogue[code].retryAfterSeconds ?? errorCatalogue.PROVIDER_TEMPORARY_ERROR.retryAfterSeconds;

/**
 * The end of a message that the provider did not send. Its code alone tells whether trying again may help, where several of its
 * codes are one of ours. Its own words follow the catalogue's sentence: they name the parameter or the rule.
 */
export function failureError(failure: ProviderFailure): KeptError {
  const { providerCode, reason, endsAs, retryAfterMs } = failure;
  const code = endsAs ?? failure.code;
  const retryable = failure.retryable && endsAs === undefined;
  const asked = retryAfterMs === null ? waitFor(code) : Math.ceil(retryAfterMs / 1000);
  const error = {
    ...messageError(code, providerCode),
    retryable,
    retryAfterSeconds: retryable ? asked : null,
  };
  return providerCode === null || reason === ''
    ? error
    : { ...error, message: `${error.message} (${reason})` };
}
