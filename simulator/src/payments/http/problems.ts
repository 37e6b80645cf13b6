// What can go wrong with a call, as the payment service words it.
import { docUrl } from '../objects/doc-url.ts';

export type ProblemBody = {
  type: 'invalid_request_error' | 'card_error' | 'api_error' | 'idempotency_error';
  message: string;
  code?: string;
  param?: string;
  [more: string]: unknown;
};

export class PaymentProblem extends Error {
  override name = 'PaymentProblem';
  readonly http: number;
  readonly body: ProblemBody;

  constructor(http: number, body: ProblemBody) {
    super(body.message);
    this.http = http;
    this.body = { ...(body.code && { doc_url: docUrl(body.code) }), ...body };
  }
}

/** A mistake in a call. */
export const invalid = (message: string, param?: string, code?: string): PaymentProblem =>
  new PaymentProblem(400, {
    ...(code && { code }),
    message,
    ...(param && { param }),
    type: 'invalid_request_error',
  });

export const missing = (param: string): PaymentProblem =>
  invalid(`Missing required param: ${param}.`, param, 'parameter_missing');

export const unknown = (param: string): PaymentProblem =>
  invalid(`Received unknown parameter: ${param}`, param, 'parameter_unknown');

/** An id that leads nowhere: a bad request when it is a parameter, 404 when it stands in the path. */
export function noSuch(what: string, id: string, param: string, http = 400): PaymentProblem {
  const message = `No such ${what}: '${id}'`;
  return new PaymentProblem(http, {
    code: 'resource_missing',
    message,
    param,
    type: 'invalid_request_error',
  });
}

/** The object the path names. */
export function at<T>(table: Map<string, T>, id: string, what: string, param = 'id'): T {
  const found = table.get(id);
  if (!found) throw noSuch(what, id, param, 404);
  return found;
}

export const serverError = (): PaymentProblem =>
  new PaymentProblem(500, {
    message: 'An error occurred with our connection to the card network. Please try again.',
    type: 'api_error',
  });

/** A refusal that a rule asks for. */
export function refusal(http: number, code?: string): PaymentProblem {
  if (http === 429) {
    return new PaymentProblem(429, {
      code: code ?? 'rate_limit',
      message: 'Request rate limit exceeded.',
      type: 'invalid_request_error',
    });
  }
  const type = http >= 500 ? 'api_error' : 'invalid_request_error';
  return new PaymentProblem(http, { ...(code && { code }), message: 'A rule refuses this call.', type });
}
