// What control APIs have in common: JSON in, JSON out, mistakes told in words.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Wire } from '../http/shape.ts';
import type { NewRuleOf } from '../rule-list.ts';
import { ControlProblem } from './control-problem.ts';

type Work = (input: { body: Wire; query: Record<string, string>; params: Record<string, string> }) => unknown;
export type ControlOf = ReturnType<typeof controlOf>;

export const wrong = (message: string) => new ControlProblem(message);

/** Adds calls of a control API to a server. */
export function controlOf(app: FastifyInstance) {
  return (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, work: Work): void => {
    app.route({
      method,
      url: `/_control/${path}`,
      handler: async (request) => work(inputOf(request)),
      errorHandler(error, _request, reply) {
        const known =
          error instanceof ControlProblem || (error as { statusCode?: number }).statusCode === 400;
        return reply.code(known ? 400 : 500).send({ error: { message: error.message } });
      },
    });
  };
}

/** What every simulator can be told: its record, its clock, its settings, its rules. */
type CommonControl<Settings, NewRule> = {
  callbacks(after: number, limit: number): unknown;
  reset(what: object): void;
  settle(): Promise<void>;
  advance(ms: number): Promise<void>;
  now(): Date;
  settings: Settings;
  configure(change: Partial<Settings>): Settings;
  rules(): unknown[];
  addRule(rule: NewRule): unknown;
  clearRules(): void;
  removeRule(id: string): boolean;
};
type Checks<NewRule> = { settingsProblem(change: object): string | null; ruleIn(body: Wire): NewRule };

export function addCommonControls<Settings, NewRule>(
  on: ControlOf,
  control: CommonControl<Settings, NewRule>,
  checks: Checks<NewRule>,
): void {
  on('GET', 'callbacks', ({ query }) => control.callbacks(...span(query)));
  on('POST', 'reset', ({ body }) => ok(() => control.reset(body)));
  on('POST', 'settle', () => ok(() => control.settle()));
  on('POST', 'advance', async ({ body }) => {
    if (!(Number.isFinite(body.ms) && body.ms >= 0)) throw wrong('"ms" must be a number of milliseconds.');
    await control.advance(body.ms);
    return { now: control.now() };
  });
  on('GET', 'settings', () => control.settings);
  on('PATCH', 'settings', ({ body }) => {
    const problem = checks.settingsProblem(body);
    if (problem) throw wrong(problem);
    return control.configure(body);
  });
  on('GET', 'rules', () => ({ data: control.rules() }));
  on('POST', 'rules', ({ body }) => control.addRule(checks.ruleIn(body)));
  on('DELETE', 'rules', () => ok(() => control.clearRules()));
  on('DELETE', 'rules/:id', ({ params }) =>
    control.removeRule(params.id!) ? { success: true } : notThere('rule', params.id!),
  );
}

function inputOf({ body, query, params }: FastifyRequest) {
  if (
    body !== undefined &&
    (typeof body !== 'object' || body === null || Array.isArray(body) || Buffer.isBuffer(body))
  )
    throw wrong('The body must be a JSON object, sent as application/json.');
  return {
    body: body ?? {},
    query: query as Record<string, string>,
    params: params as Record<string, string>,
  };
}

export async function ok(work: () => unknown): Promise<{ success: true }> {
  await work();
  return { success: true };
}

export function notThere(what: string, id: string): never {
  throw wrong(`There is no ${what} "${id}".`);
}

export function span({ after, limit }: Record<string, string>): [number, number] {
  const numbers: [number, number] = [Number(after ?? 0), Number(limit ?? 100)];
  if (!numbers.every((one) => Number.isInteger(one) && one >= 0) || numbers[1] > 10_000)
    throw wrong('"after" and "limit" must be whole numbers; "limit" at most 10000.');
  return numbers;
}

type RuleParts = { behaviours: string[]; matches: string[]; answers: string[] };

/** A rule as somebody wrote it, once it says nothing that nobody understands. */
export function checkedRule<Match, Behaviour>(
  body: Wire,
  { behaviours, matches, answers }: RuleParts,
): NewRuleOf<Match, Behaviour> {
  const known = ['match', 'behaviour', 'count', 'probability'];
  const stray = Object.keys(body).find((name) => !known.includes(name));
  if (stray) throw wrong(`"${stray}" is no part of a rule; these are: ${known.join(', ')}.`);
  const { behaviour, match = {}, count, probability } = body;
  if (typeof behaviour !== 'object' || behaviour === null) throw wrong('A rule needs a "behaviour".');
  const strayPart = Object.keys(behaviour).find((name) => !behaviours.includes(name));
  if (strayPart) throw wrong(`"${strayPart}" is no behaviour; these are: ${behaviours.join(', ')}.`);
  if (behaviour.answer !== undefined && !answers.includes(behaviour.answer))
    throw wrong(`"answer" must be one of ${answers.join(', ')}.`);
  const strayMatch = Object.keys(match).find((name) => !matches.includes(name));
  if (strayMatch) throw wrong(`"${strayMatch}" cannot be matched; these can: ${matches.join(', ')}.`);
  if (count !== undefined && !(Number.isInteger(count) && count > 0))
    throw wrong('"count" must be a positive whole number.');
  if (probability !== undefined && !(probability > 0 && probability <= 1))
    throw wrong('"probability" must be above 0 and at most 1.');
  return { match, behaviour, count, probability };
}
