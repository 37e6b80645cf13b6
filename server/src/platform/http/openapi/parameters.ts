// The parameters of operations: those that several share stand once, among the components.
import type { TSchema } from 'typebox';
import { solutionHeader, solutionLength } from '../limits/proof-of-work.ts';
import type { Operation } from '../operations/operation.ts';
import { stepUpHeader, stepUpHeaderSchema } from '../operations/step-up.ts';
import type { Components, Json } from './components.ts';

export type ObjectSchema = { properties?: Record<string, TSchema>; required?: string[] };

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'The same key with the same request gives the same effect and answer for 24 hours.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7E]+$' },
};

const headers: Record<string, Json> = {
  IdempotencyKey: { ...idempotencyKey, required: true },
  OptionalIdempotencyKey: { ...idempotencyKey, required: false },
  StepUpToken: {
    name: stepUpHeader,
    in: 'header',
    required: false,
    description:
      'A step-up token for the action named by `x-step-up-action`, where a STEP_UP_REQUIRED refusal asks for one.',
    schema: stepUpHeaderSchema,
  },
  ChallengeSolution: {
    name: solutionHeader,
    in: 'header',
    required: false,
    description:
      'A solved challenge from `GET /v1/auth/challenge`, where a CAPTCHA_REQUIRED refusal asks for one: ' +
      '`{challenge, solution}` as JSON in base64.',
    schema: { type: 'string', maxLength: solutionLength },
  },
};

const reference = (name: string): Json => ({ $ref: `#/components/parameters/${name}` });

export function parametersOf(operation: Operation, components: Components): Json[] {
  const { idempotency, stepUp, takesSolution } = operation;
  return [
    ...fieldsOf('path', operation.params, components),
    ...fieldsOf('query', operation.query, components),
    ...(idempotency
      ? [reference(idempotency === 'required' ? 'IdempotencyKey' : 'OptionalIdempotencyKey')]
      : []),
    ...(stepUp?.inHeader ? [reference('StepUpToken')] : []),
    ...(takesSolution ? [reference('ChallengeSolution')] : []),
  ];
}

function fieldsOf(place: 'path' | 'query', schema: TSchema | undefined, components: Components): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as ObjectSchema;
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...plain } = property as Json;
    return {
      name,
      in: place,
      ...(place === 'path' || required.includes(name) ? { required: true } : {}),
      ...(description !== undefined && { description }),
      schema: components.schema(plain),
    };
  });
}

type Written = { parameters: Json[] };

/** Puts references where several operations have the same parameter, and answers with what they refer to. */
export function shareParameters(operations: Written[]): Json {
  const uses = Map.groupBy(
    operations.flatMap(({ parameters }) => parameters).filter(({ $ref }) => $ref === undefined),
    componentName,
  );
  const shared = new Map<string, Json>();
  for (const [name, [first, ...others]] of [...uses].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const text = JSON.stringify(first);
    if (others.length > 0 && others.every((other) => JSON.stringify(other) === text))
      shared.set(name, first!);
  }
  for (const operation of operations) {
    operation.parameters = operation.parameters.map((parameter) => {
      const name = parameter.$ref === undefined ? componentName(parameter) : '';
      return shared.has(name) ? reference(name) : parameter;
    });
  }
  return { ...headers, ...Object.fromEntries(shared) };
}

/** `accountSid` of a path is `AccountSidPath`: the same word may be asked for in a query, and be another thing there. */
function componentName({ name, in: place }: Json): string {
  return [name, place].map((word) => (word as string)[0]!.toUpperCase() + (word as string).slice(1)).join('');
}
