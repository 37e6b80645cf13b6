// What no schema can say about the input: told together with what the schemas say, and before a second factor is asked for.
import type { TSchema } from 'typebox';
import type { RequestContext, TenantTx } from '../../db/database.ts';
import { type ErrorDetail, invalid } from '../../errors/errors.ts';
import { isObject, soundPart } from '../input/sound-part.ts';
import type { AnyInput, Operation } from './operation.ts';
import type { Call, Serving } from './serving.ts';
import { judgedBody } from './step-up.ts';

const nothingRefused: ReadonlySet<string> = new Set();

/** Of a request that its schemas accept. */
export async function refuseIssues(operation: Operation, t: TenantTx, input: AnyInput): Promise<void> {
  const { params, query, body } = input;
  const details = (await operation.issues?.(t, { params, query, body, refused: nothingRefused })) ?? [];
  if (details.length > 0) throw invalid(...details);
}

type Unsound = { query: Record<string, unknown>; body: unknown; details: ErrorDetail[] };

/** What else is wrong with a request that its schemas refuse: judged by the part that they accept. */
export function furtherIssues(operation: Operation, serving: Serving) {
  const bodySchema = judgedBody(operation);
  return async (call: Call, { query, body, details }: Unsound): Promise<ErrorDetail[]> => {
    const { incoming, authentication, now } = call;
    const principal = authentication?.principal;
    const { accountSid } = incoming.params;
    // What is no object was not read at all, so that nothing can be said about its members.
    if (!operation.issues || !principal || accountSid === undefined || !isObject(body)) return [];
    const refused = new Set(details.map(({ path }) => path));
    const frame = (schema: TSchema | undefined, values: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(soundPart(schema, values)).filter(([name]) => !refused.has(name)));
    const sound = {
      params: frame(operation.params, incoming.params),
      query: frame(operation.query, query),
      body: soundPart(bodySchema, body),
      refused,
    };
    const { requestId, log } = incoming;
    const requestContext: RequestContext = { principal, now, requestId, log };
    const tenant = { accountSid, livemode: principal.livemode };
    const look = async (t: TenantTx) => operation.issues!(t, sound);
    return serving.database.read(tenant, requestContext, look, { asOf: principal.version });
  };
}
