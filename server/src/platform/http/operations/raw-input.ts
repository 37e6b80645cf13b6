// What a request carries, read but not yet believed: header values, query parameters and the body as values, with an issue
// for each that cannot be read.
import type { Readable } from 'node:stream';
import type { TSchema } from 'typebox';
import { ApiError, type ErrorDetail } from '../../errors/errors.ts';
import { type Bytes, canonicalJson, sha256Hex } from '../../hashing.ts';
import { judgeMembers, nameRoot } from '../input/batch-body.ts';
import { parseFormBody } from '../input/form-body.ts';
import { isCleanText, parseJsonBody } from '../input/json-body.ts';
import type { UploadedFile, Uploads } from '../input/uploads.ts';
import type { Judge } from '../input/validation.ts';
import { formType, postsForm } from './html-answer.ts';
import type { Operation, Upload } from './operation.ts';
import type { Incoming } from './serving.ts';

export const single = (value: string | string[] | undefined) =>
  Array.isArray(value) ? value.join(', ') : value;

const uncleanIssue = 'must not hold NUL characters or lone surrogates';

export function unclean(values: Record<string, unknown>): ErrorDetail[] {
  return Object.entries(values)
    .filter(([, value]) => typeof value === 'string' && !isCleanText(value))
    .map(([path]) => ({ path, issue: uncleanIssue }));
}

/** Query parameters are text; whole numbers and true or false are read as such, and nothing else is. */
export function readQuery(schema: TSchema | undefined, given: Record<string, string | string[]>) {
  const properties =
    (schema as { properties?: Record<string, { type?: string }> } | undefined)?.properties ?? {};
  const values: Record<string, unknown> = Object.create(null); // a name such as __proto__ is only a name
  const details: ErrorDetail[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (Array.isArray(value)) {
      details.push({ path: name, issue: 'must be given once' });
      continue;
    }
    const type = properties[name]?.type;
    if (type === 'integer' && /^[0-9]{1,9}$/.test(value)) values[name] = Number(value);
    else if (type === 'boolean' && /^(true|false)$/.test(value)) values[name] = value === 'true';
    else values[name] = value;
  }
  return { values, details: [...details, ...unclean(values)] };
}

const bodyFormats = {
  json: { type: 'application/json', parse: parseJsonBody },
  form: { type: formType, parse: parseFormBody },
};

const formTypes = [bodyFormats.form.type, 'multipart/form-data'];

/** `member` judges each item of a body that carries many. */
export type BodyJudges = { body: Judge; member: Judge | null };

type Read = { body: unknown; form?: Record<string, string>; details: ErrorDetail[] };

export type Received = {
  /** Asked once the caller is known. `form` is what a browser posted instead of the body. */
  read(): Read;
  /** What two requests with one Idempotency-Key must have in common. */
  content: Bytes;
  /** Of the body as it was sent. */
  sha256(): string;
  file: UploadedFile | null;
};

export function receiveBytes(
  operation: Operation,
  incoming: Incoming,
  rawBody: Buffer,
  judges: BodyJudges,
): Received {
  const isForm = operation.form !== undefined && postsForm(incoming.headers);
  const read = () => (isForm ? readForm(rawBody) : readBody(operation, incoming, rawBody, judges));
  return { read, content: rawBody, sha256: () => sha256Hex(rawBody), file: null };
}

/** A form is compared by what it says: clients choose a new boundary each time they send the same one. */
export async function receiveForm(
  { maxFileBytes }: Upload,
  incoming: Incoming,
  source: Readable,
  uploads: Uploads,
  judge: Judge,
): Promise<Received> {
  const type = single(incoming.headers['content-type'])!;
  const { fields, file, rawSha256 } = await uploads.receive(source, type, maxFileBytes);
  const missing = file ? [] : [{ path: 'file', issue: 'is required' }];
  const { path: _, ...facts } = file ?? {};
  const content = `form\n${canonicalJson({ fields: { ...fields }, file: facts })}`;
  const read = () => ({ body: fields, details: [...missing, ...judge(fields)] });
  return { read, content, sha256: () => rawSha256, file };
}

function readForm(rawBody: Buffer): Read {
  try {
    return { body: undefined, form: parseFormBody(rawBody), details: [] };
  } catch (error) {
    return { body: undefined, details: detailsOf(error) };
  }
}

function detailsOf(error: unknown): ErrorDetail[] {
  if (error instanceof ApiError) return error.facts.details ?? [];
  throw error;
}

function readBody(operation: Operation, incoming: Incoming, rawBody: Buffer, judges: BodyJudges): Read {
  const format = bodyFormats[operation.bodyFormat ?? 'json'];
  if (rawBody.length > 0) {
    const type = (single(incoming.headers['content-type']) ?? '').split(';')[0]!.trim().toLowerCase();
    if (operation.ignoresForms && formTypes.includes(type)) return { body: {}, details: [] };
    if (type !== format.type) {
      return { body: undefined, details: [{ path: 'Content-Type', issue: `must be ${format.type}` }] };
    }
  }
  try {
    // An absent body is an empty one: the answer then names the fields that are missing.
    const { batch } = operation;
    const body = rawBody.length === 0 ? {} : format.parse(rawBody, batch?.list);
    const details = judges.body(body).map(nameRoot);
    const whole = batch && judges.member && details.length === 0;
    return { body: whole ? judgeMembers(body, batch, judges.member!) : body, details };
  } catch (error) {
    return { body: undefined, details: detailsOf(error) };
  }
}
