// Why a message failed, as its error tells it.
import { type ErrorCode, errorCatalogue } from '../../platform/error-catalogue.ts';
import type { ProviderFailure } from '../provider/index.ts';
import type { MessageError } from './schema.ts';

export function messageError(code: ErrorCode, providerCode: number | null = null): MessageError {
  const { type, message, retryable } = errorCatalogue[code];
  return { code, type, message, retryable, providerCode };
}

/**
 * The end of a message that the provider did not send. Its code alone tells whether trying again may help, where several of its
 * codes are one of ours. Its own words follow the catalogue's sentence: they name the parameter or the rule.
 */
export function failureError(failure: ProviderFailure): MessageError {
  const { providerCode, reason, endsAs } = failure;
  const error = {
    ...messageError(endsAs ?? failure.code, providerCode),
    retryable: failure.retryable && endsAs === undefined,
  };
  return providerCode === null || reason === ''
    ? error
    : { ...error, message: `${error.message} (${reason})` };
}
