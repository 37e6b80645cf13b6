// The second factor an operation demands, asked inside the transaction it guards.
import type { TSchema } from 'typebox';
import type { TenantTx } from '../../db/database.ts';
import { ApiError, type ErrorDetail } from '../../errors/errors.ts';
import type { AnyInput, Operation, StepUp } from './operation.ts';
import type { Serving } from './serving.ts';

/** What the declaration alone decides; an operation that decides by stored state asks by itself. */
export async function passStepUp(
  operation: Operation,
  serving: Serving,
  t: TenantTx,
  input: AnyInput,
): Promise<void> {
  if (operation.stepUp?.askedBy !== 'handler') await demandStepUp(operation, serving, t, input);
}

/** Before a call outside: the operation itself spends the token, where it writes down what came of the call. */
export async function checkStepUp(
  { stepUp }: Operation,
  serving: Serving,
  t: TenantTx,
  input: AnyInput,
): Promise<void> {
  if (stepUp && isAsked(stepUp, t)) {
    await serving.stepUp.check(t, stepUp.action, tokenIn(stepUp, input));
  }
}

export async function demandStepUp(
  { stepUp }: Operation,
  serving: Serving,
  t: TenantTx,
  input: Carrier,
): Promise<void> {
  if (!stepUp || !isAsked(stepUp, t)) return;
  t.steppedUpBy = await serving.stepUp.spend(t, stepUp.action, tokenIn(stepUp, input));
}

/** Of a workflow it is always asked, and no token is good for one: what takes a second factor is not for them. */
const isAsked = ({ from }: StepUp, { principal: { kind } }: TenantTx) =>
  from === 'everyone' || kind === 'user' || kind === 'workflow';

type Carrier = Pick<AnyInput, 'body' | 'header'>;

function tokenIn(stepUp: StepUp, { body, header }: Carrier): string | undefined {
  if (stepUp.inHeader) return header(stepUpHeader);
  type Holder = Record<string, unknown> | undefined;
  const found = placeOfToken(stepUp).reduce((value, name) => (value as Holder)?.[name], body);
  return found as string | undefined;
}

/** The body but for its token, which is a new one each time the same is asked for. */
export function withoutToken({ stepUp }: Operation, body: object): Record<string, unknown> {
  const copy = structuredClone(body) as Record<string, unknown>;
  if (!stepUp || stepUp.inHeader) return copy;
  const names = placeOfToken(stepUp);
  const last = names.pop()!;
  type Holder = Record<string, unknown> | undefined;
  const holder = names.reduce<Holder>((value, name) => value?.[name] as Holder, copy);
  delete holder?.[last];
  return copy;
}

/** For the operations to which the contract gives no body. */
export const stepUpHeader = 'X-Step-Up-Token';
export const stepUpHeaderSchema = { type: 'string', maxLength: 256 };

/** What is malformed about a token in the header: the same as in a body. */
export function judgeStepUpHeader({ stepUp }: Operation, value: string | undefined): ErrorDetail[] {
  const { maxLength } = stepUpHeaderSchema;
  if (!stepUp?.inHeader || value === undefined || value.length <= maxLength) return [];
  return [{ path: stepUpHeader, issue: `must be at most ${maxLength} characters` }];
}

const placeOfToken = ({ field = 'stepUpToken' }: StepUp): string[] => field.split('.');

/**
 * The body as requests are judged by it. An absent or empty token is not malformed: once all else is valid, the refusal
 * is STEP_UP_REQUIRED, which tells the action to get one for. The published schema says where it is required.
 */
export function judgedBody({ id, body, stepUp }: Operation): TSchema | undefined {
  if (!stepUp || stepUp.inHeader) return body;
  const judged = allowAbsent(body as ObjectSchema | undefined, placeOfToken(stepUp));
  if (!judged) throw new Error(`the body of ${id} has no place for its step-up token`);
  return judged as TSchema;
}

type ObjectSchema = { properties?: Record<string, ObjectSchema>; required?: string[]; minLength?: number };

function allowAbsent(schema: ObjectSchema | undefined, [name, ...rest]: string[]): ObjectSchema | null {
  const property = schema?.properties?.[name!];
  if (!property) return null;
  const { minLength: _, ...mayBeEmpty } = property;
  const changed = rest.length > 0 ? allowAbsent(property, rest) : mayBeEmpty;
  if (!changed) return null;
  const required = rest.length > 0 ? schema.required : schema.required?.filter((other) => other !== name);
  return { ...schema, properties: { ...schema.properties, [name!]: changed }, ...(required && { required }) };
}

/** Refuses for want of a second factor, naming the action a token must be issued for. */
export function stepUpRequired(action: string): ApiError {
  return new ApiError('STEP_UP_REQUIRED', { details: [{ path: 'stepUpAction', issue: action }] });
}
