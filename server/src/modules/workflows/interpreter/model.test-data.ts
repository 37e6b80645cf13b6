// A second way to run a definition: straight through the lists, by calls inside calls, without a cursor. The interpreter, which can
// stop anywhere and go on from JSON, must tell the same story.
import { sha256 } from '../../../platform/hashing.ts';
import { nextLocalTime } from '../../../platform/time/local-time.ts';
import type { Facts } from '../conditions/facts.ts';
import { valueAt } from '../conditions/facts.ts';
import { judgeConditions } from '../conditions/judge.ts';
import type { Action, Definition, Section } from '../definition/actions.ts';
import type { Predicate } from '../definition/predicates.ts';
import { catalogue } from '../definitions.test-data.ts';
import { effectOf, isEffect } from './effects.ts';
import { fillValue } from './fill.ts';
import { replyOf } from './replies.ts';
import type { LoggedEvent } from './state.ts';

/** What stands still until somebody says something. */
export type Seen = { effect: object } | { wait: string; names: string[] };
export type Answer =
  | { output: Record<string, unknown> }
  | { error: string }
  | { event: LoggedEvent }
  | 'due'
  | 'timeout';

export type World = {
  now: number;
  event: object;
  contact: object;
  message: object | null;
  answers: Facts['answers'];
};
export const runSid = 'WR01K3SAMP1E0000000000000000';

class Failed extends Error {}
class TimedOut extends Error {}
class Stopped extends Error {}

type Model = Generator<Seen, string, Answer>;
type Part = Generator<Seen, void, Answer>;

export function runModel(definition: Definition, world: World, story: string[]): Model {
  const vars: Record<string, unknown> = {};
  const steps: Record<string, object> = {};
  let error: { code: string; message: string; path: string } | null = null;
  let section: Section = 'actions';
  let count = 0;
  let limit = 1_000;

  const facts = (): Facts => ({
    now: new Date(world.now).toISOString(),
    run: { sid: runSid } as Facts['run'],
    event: world.event,
    contact: world.contact,
    conversation: null,
    message: world.message,
    answers: world.answers,
  });
  const judge = (conditions: Predicate[] = [], event = world.event) =>
    judgeConditions(conditions, { ...facts(), event }, { vars, steps, error }).holds;
  const lookup = (path: string) => valueAt(path, facts(), { vars, steps, error });
  const begin = () => {
    if (count >= limit) {
      error = { code: 'WORKFLOW_STEP_LIMIT', message: '', path: '' };
      throw new Failed('WORKFLOW_STEP_LIMIT');
    }
    count += 1;
  };
  const note = (action: Action, path: string, outcome: string) => {
    story.push(`${count} ${path} ${outcome}`);
    if (action.id) steps[action.id] = { outcome };
  };
  const fail = (action: Action, path: string, code: string) => {
    error = { code, message: '', path };
    note(action, path, 'failed');
    if (action.onError !== 'continue') throw new Failed(code);
  };

  function* list(actions: Action[], path: string): Part {
    for (const [i, action] of actions.entries()) {
      begin();
      if (judge(action.if)) yield* perform(action, `${path}[${i}]`);
      else note(action, `${path}[${i}]`, 'skipped');
    }
  }

  function* ask(
    seen: Seen,
    action: Action,
    path: string,
  ): Generator<Seen, Exclude<Answer, 'timeout'>, Answer> {
    for (;;) {
      const answer = yield seen;
      if (answer !== 'timeout') return answer;
      if (section !== 'actions') continue;
      note(action, path, 'timed_out');
      throw new TimedOut();
    }
  }

  function* perform(action: Action, path: string): Part {
    switch (action.type) {
      case 'branch': {
        const found = action.cases.findIndex(({ conditions }) => judge(conditions));
        if (found === -1 && !action.else) return note(action, path, 'done');
        story.push(`${count} ${path} chose ${found === -1 ? 'else' : found}`);
        return found === -1
          ? yield* list(action.else!, `${path}.else`)
          : yield* list(action.cases[found]!.actions, `${path}.cases[${found}].actions`);
      }
      case 'split': {
        const tickets = action.cases.flatMap(({ weight }, i) => Array<number>(weight).fill(i));
        const chosen = tickets[sha256(`${runSid}:${path}`).readUInt32BE(0) % tickets.length]!;
        story.push(`${count} ${path} chose ${chosen}`);
        return yield* list(action.cases[chosen]!.actions, `${path}.cases[${chosen}].actions`);
      }
      case 'repeat':
        for (let round = 1; round <= action.max && judge(action.while); round += 1) {
          story.push(`${count} ${path} chose ${round}`);
          yield* list(action.actions, `${path}.actions`);
          begin();
        }
        return note(action, path, 'done');
      case 'set_variable':
        vars[action.name] = fillValue(action.value, lookup);
        return note(action, path, 'done');
      case 'stop':
        note(action, path, 'done');
        throw new Stopped(action.outcome ?? '');
      case 'wait':
      case 'wait_for_reply':
      case 'wait_for_event':
        return yield* wait(action, path);
      default:
        return yield* affect(action, path);
    }
  }

  function* affect(action: Action, path: string): Part {
    if (!isEffect(action.type)) throw new Error(`the model does not know ${action.type}`);
    const made = effectOf(action as never, { lookup, replies: {} });
    if ('code' in made) return fail(action, path, made.code);
    story.push(`${count} ${path} waiting`);
    for (;;) {
      const answer = yield* ask({ effect: made }, action, path);
      if (answer !== 'due' && 'error' in answer) return fail(action, path, answer.error);
      if (answer === 'due' || !('output' in answer)) continue;
      if (action.type === 'http_request' && action.save) vars[action.save] = answer.output;
      return note(action, path, 'done');
    }
  }

  function* wait(action: Extract<Action, { type: `wait${string}` }>, path: string): Part {
    const wakeAt = wakeOf(action);
    if (wakeAt === null) return fail(action, path, 'WORKFLOW_NO_MOMENT');
    if (action.type === 'wait' && Date.parse(wakeAt) <= world.now) return note(action, path, 'done');
    const types =
      action.type === 'wait_for_reply'
        ? ['MESSAGE_RECEIVED']
        : action.type === 'wait'
          ? []
          : action.eventTypes;
    const names = [...new Set(types.map((type) => catalogue.nameOf(type)!))];
    story.push(`${count} ${path} waiting`);
    for (;;) {
      const answer = yield* ask({ wait: wakeAt, names }, action, path);
      if (answer === 'due') {
        note(action, path, action.type === 'wait' ? 'done' : 'timed_out');
        if (action.type !== 'wait') yield* list(action.onTimeout ?? [], `${path}.onTimeout`);
        return;
      }
      if (action.type === 'wait' || !('event' in answer)) continue;
      const { type, data, sid } = answer.event;
      const { eventType, text } = data as { eventType?: string; text?: { body: string } };
      if (!names.includes(type) || text?.body === 'STOP') continue;
      if (type === 'custom.event' && !types.includes(eventType!)) continue;
      if (action.type === 'wait_for_event' && !judge(action.match, data)) continue;
      if (type === 'message.received') world.message = data;
      if (action.save)
        vars[action.save] = action.type === 'wait_for_reply' ? replyOf(data) : { eventSid: sid, type, data };
      return note(action, path, 'done');
    }
  }

  function wakeOf(action: Extract<Action, { type: `wait${string}` }>): string | null {
    const after = (seconds: number) => new Date(world.now + seconds * 1_000).toISOString();
    if (action.type !== 'wait') return after(action.timeoutSeconds);
    if (action.seconds !== undefined) return after(action.seconds);
    if (action.localTime) return nextLocalTime(facts().now, action.localTime);
    const moment = fillValue(action.until, lookup);
    return typeof moment === 'string' && /^\d{4}-/.test(moment) ? new Date(moment).toISOString() : null;
  }

  function* closing(own: Section, status: string): Generator<Seen, string, Answer> {
    section = own;
    limit = count + 200;
    try {
      yield* list(definition[own] ?? [], own);
    } catch (thrown) {
      if (thrown instanceof Stopped) return `${status} ${thrown.message}`;
      if (!(thrown instanceof Failed)) throw thrown;
    }
    return `${status} `;
  }

  return (function* whole(): Model {
    try {
      yield* list(definition.actions, 'actions');
      return 'COMPLETED ';
    } catch (thrown) {
      if (thrown instanceof Stopped) return `COMPLETED ${thrown.message}`;
      if (thrown instanceof TimedOut) return yield* closing('timeoutActions', 'TIMED_OUT');
      if (thrown instanceof Failed) return yield* closing('failureActions', 'FAILED');
      throw thrown;
    }
  })();
}
