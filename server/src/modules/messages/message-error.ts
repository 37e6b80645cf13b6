// Why a message failed, as its error tells it.
import { type ErrorCode, errorCatalogue } from '../../platform/error-catalogue.ts';
import type { ProviderFailure } from '../provider/index.ts';
import type { MessageError } from './schema.ts';

export function messageError(code: ErrorCode, providerCode: number | null = null): MessageError {
  const { type, message, retryable } = errorCatalogue[code];
  return { code, type, message, retryable, providerCode };
}

/** The provider's own words follow the catalogue's sentence: they name the parameter or the rule. */
export function failureError({ code, providerCode, reason }: ProviderFailure): MessageError {
  const error = messageError(code, providerCode);
  return providerCode === null || reason === ''
    ? error
    : { ...error, message: `${error.message} (${reason})` };
}
