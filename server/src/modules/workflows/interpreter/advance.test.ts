import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { sampleSid } from '../../../platform/samples.ts';
import type { Facts } from '../conditions/facts.ts';
import type { Definition } from '../definition/actions.ts';
import { catalogue, validDefinition } from '../definitions.test-data.ts';
import { readDefinition } from '../grammar/read-definition.ts';
import { advance } from './advance.ts';
import { type Answer, runModel, runSid, type Seen, type World } from './model.test-data.ts';
import { type Program, prepare, startOf } from './program.ts';
import type { Input, LoggedEvent, Outcome, Run, TraceEntry, Turn } from './state.ts';

const startedAt = '2026-08-21T10:00:00.000Z';
const message = (body: string, sid = sampleSid('SM')) => ({
  object: 'message',
  direction: 'inbound',
  sid,
  type: 'text',
  content: { body },
  text: { body },
  createdAt: startedAt,
});
const received = (body: string, sid = sampleSid('SM', '1')): LoggedEvent => ({
  sid: sampleSid('EV'),
  type: 'message.received',
  data: message(body, sid),
});

const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
};

/** The run as it would come back from a table: nothing of it may be more than JSON. */
function stored({ state, memory }: Run): Run {
  const [cursor, remembered] = [JSON.stringify(state), JSON.stringify(memory)];
  assert.ok(Buffer.byteLength(cursor) < 8 * 1024, cursor);
  assert.ok(Buffer.byteLength(remembered) <= 16 * 1024);
  assert.deepEqual(JSON.parse(cursor), state);
  return frozen({ state: JSON.parse(cursor), memory: JSON.parse(remembered) });
}

/** Facts are loaded only when they are asked for, as the engine does. */
function turnOf(program: Program, run: Run, all: Facts, input: Input): Turn {
  let given: Facts = { now: all.now, run: all.run, event: all.event };
  for (let asked = 0; asked < 20; asked += 1) {
    const turn = advance(program, run, frozen(given), frozen(input));
    if (turn.outcome.kind !== 'need') return turn;
    assert.deepEqual([turn.state, turn.memory, turn.trace], [run.state, run.memory, []]);
    for (const name of turn.outcome.facts) {
      const isAnswer = !['contact', 'conversation', 'message'].includes(name);
      given = isAnswer
        ? { ...given, answers: { ...given.answers, [name]: all.answers?.[name] ?? false } }
        : { ...given, [name]: all[name as 'contact'] ?? null };
    }
  }
  assert.fail('it asks for the same facts again and again');
}

const worldOf = (): World => ({
  now: Date.parse(startedAt),
  event: message('Yes please'),
  contact: { displayName: 'Inès', timezone: 'Europe/Paris', attributes: { plan: 'gold' } },
  message: message('Yes please'),
  answers: {
    window: 'open',
    suppressed: false,
    'consent:MARKETING': 'OPTED_IN',
    [`segment:${sampleSid('SG')}`]: true,
  },
});

const factsOf = (world: World, messages: Map<string, object>, sid: string | null): Facts => ({
  now: new Date(world.now).toISOString(),
  run: { sid: runSid } as Facts['run'],
  event: world.event,
  contact: world.contact,
  conversation: null,
  message: (sid && messages.get(sid)) || null,
  answers: world.answers,
});

/** What the world says next: the same for the interpreter and for the model. */
function answerTo(seen: Seen, draw: number, world: World): Answer {
  if (draw % 23 === 22) return 'timeout';
  if ('effect' in seen) return draw % 5 === 0 ? { error: 'REFUSED' } : { output: { number: draw } };
  const wakeUp = (): Answer => {
    world.now = Date.parse(seen.wait);
    return 'due';
  };
  if (seen.names.length === 0) return wakeUp();
  const custom = (eventType: string): LoggedEvent => ({
    sid: sampleSid('EV'),
    type: 'custom.event',
    data: { object: 'custom_event', eventType },
  });
  const closed: LoggedEvent = {
    sid: sampleSid('EV'),
    type: 'conversation.closed',
    data: { object: 'conversation' },
  };
  const events = [
    received('STOP'),
    received('gold'),
    received('No'),
    custom('CUSTOM_PAID'),
    custom('CUSTOM_LOST'),
    closed,
  ];
  const event = events[draw % (events.length + 2)];
  return event ? { event } : wakeUp();
}

/** In the end every wait runs out and every effect succeeds: a world that says STOP for ever would keep a run waiting. */
const drawAt = (draws: number[], asked: number) => (asked > 100 ? 6 : draws[asked % draws.length]!);

const inputOf = (answer: Answer, outcome: Outcome): Input => {
  if (answer === 'due' || answer === 'timeout') return { kind: answer };
  if ('event' in answer) return { kind: 'event', event: answer.event };
  const position = outcome.kind === 'effect' ? outcome.position : -1;
  if ('error' in answer) return { kind: 'result', position, error: { code: answer.error, message: 'No.' } };
  return { kind: 'result', position, output: answer.output };
};

const seenIn = (outcome: Outcome): Seen | null => {
  if (outcome.kind === 'effect') return { effect: outcome.effect };
  return outcome.kind === 'wait' ? { wait: outcome.wait.wakeAt, names: outcome.wait.names } : null;
};

const lineOf = ({ position, path, outcome, chose }: TraceEntry) =>
  `${position} ${path} ${outcome}${chose === undefined ? '' : ` ${chose}`}`;

type Told = { story: string[]; seen: Seen[]; end: string };

function byInterpreter(definition: Definition, draws: number[]): Told {
  const program = prepare(definition, catalogue);
  const world = worldOf();
  const messages = new Map<string, object>([[sampleSid('SM'), message('Yes please')]]);
  const told: Told = { story: [], seen: [], end: '' };
  let run: Run = stored(startOf(world.event));
  let input: Input = { kind: 'go' };
  let standing: Outcome = { kind: 'pause' };
  for (let turns = 0; turns < 5_000; turns += 1) {
    const turn = turnOf(program, run, factsOf(world, messages, run.state.messageSid), input);
    told.story.push(...turn.trace.map(lineOf));
    run = stored(turn);
    if (turn.outcome.kind !== 'unchanged') standing = turn.outcome;
    if (standing.kind === 'end') {
      told.end = `${standing.status} ${standing.outcome ?? ''}`;
      return told;
    }
    const seen = seenIn(standing);
    if (!seen) input = { kind: 'go' };
    else {
      told.seen.push(seen);
      const answer = answerTo(seen, drawAt(draws, told.seen.length), world);
      if (typeof answer === 'object' && 'event' in answer) {
        const { data } = answer.event as { data: { sid?: string } };
        if (data.sid) messages.set(data.sid, data);
      }
      input = inputOf(answer, standing);
    }
  }
  assert.fail('it does not end');
}

function byModel(definition: Definition, draws: number[]): Told {
  const world = worldOf();
  const told: Told = { story: [], seen: [], end: '' };
  const model = runModel(definition, world, told.story);
  let next = model.next();
  while (!next.done) {
    told.seen.push(next.value);
    next = model.next(answerTo(next.value, drawAt(draws, told.seen.length), world));
  }
  return { ...told, end: next.value };
}

function firstDifference(told: Told, modelled: Told): string {
  const lines = ({ story, seen, end }: Told) => [...story, ...seen.map((one) => JSON.stringify(one)), end];
  const [left, right] = [lines(told), lines(modelled)];
  const at = left.findIndex((line, i) => line !== right[i]);
  return `line ${at}: ${left[at]}\n   model: ${right[at]}`;
}

test('every definition, in whatever order replies, refusals and timeouts come, tells the story that reading it straight through does', () => {
  const seenEnds = new Set<string>();
  fc.assert(
    fc.property(
      validDefinition,
      fc.array(fc.nat(1_000), { minLength: 7, maxLength: 30 }),
      (definition, draws) => {
        const told = byInterpreter(definition, draws);
        const modelled = byModel(definition, draws);
        // A diff of two long stories takes longer than telling them a thousand times.
        if (!isDeepStrictEqual(told, modelled)) assert.fail(firstDifference(told, modelled));
        seenEnds.add(told.end.split(' ')[0]!);
      },
    ),
    { numRuns: 150 },
  );
  assert.deepEqual([...seenEnds].sort(), ['COMPLETED', 'FAILED', 'TIMED_OUT']);
});

// ---- One thing at a time

function read(actions: object[], more: object = {}): Definition {
  const value = { trigger: { eventTypes: ['MESSAGE_RECEIVED'] }, conditions: [], actions, ...more };
  const result = readDefinition(value, catalogue);
  assert.ok('definition' in result, JSON.stringify(result));
  return result.definition;
}

/** A run that is told one thing after another. */
function running(definition: Definition, change: Partial<World> = {}) {
  const program = prepare(definition, catalogue);
  const world = { ...worldOf(), ...change };
  let run: Run = stored(startOf(world.event));
  const trace: TraceEntry[] = [];
  return {
    trace,
    world,
    tell(input: Input): Outcome {
      const facts = factsOf(world, new Map(), run.state.messageSid);
      const turn = turnOf(program, run, facts, input);
      run = stored(turn);
      trace.push(...turn.trace);
      return turn.outcome;
    },
    /** The effect that is asked for; the others that are asked for on the way are done. */
    effects(): string[] {
      const types: string[] = [];
      let outcome = this.tell({ kind: 'go' });
      while (outcome.kind === 'effect' || outcome.kind === 'pause') {
        if (outcome.kind === 'effect') types.push(outcome.effect.type);
        outcome = this.tell(
          outcome.kind === 'effect' ? { kind: 'result', position: outcome.position } : { kind: 'go' },
        );
      }
      types.push(outcome.kind === 'end' ? outcome.status : outcome.kind);
      return types;
    },
    memory: () => run.memory,
    state: () => run.state,
  };
}

const say = (body: string, more: object = {}) => ({
  type: 'send_message',
  message: { type: 'text', text: { body } },
  ...more,
});
const set = (name: string, value: unknown, more: object = {}) => ({
  type: 'set_variable',
  name,
  value,
  ...more,
});
const reply = (more: object = {}) => ({ type: 'wait_for_reply', timeoutSeconds: 3_600, ...more });
const request = { type: 'http_request', endpointSid: sampleSid('WH') };

suite('a run', () => {
  test('whose message gets too long by what is inserted fails in that step alone', () => {
    const long = say('{{contact.displayName}}', { onError: 'continue', id: 'long' });
    const after = say('Sorry', { if: [{ path: 'steps.long.outcome', eq: 'failed' }] });
    const contact = { displayName: 'x'.repeat(4_097) };
    const one = running(read([long, after]), { contact });
    const outcome = one.tell({ kind: 'go' });
    assert.ok(outcome.kind === 'effect' && outcome.effect.type === 'send_message');
    assert.equal(outcome.effect.message.text?.body, 'Sorry');
    assert.deepEqual(one.trace[0]?.error, {
      code: 'VALIDATION_ERROR',
      message: 'message.text.body: must be at most 4096 characters',
      path: 'actions[0]',
    });
    const fits = running(read([long, after]), { contact: { displayName: 'x'.repeat(4_096) } });
    assert.deepEqual(fits.effects(), ['send_message', 'COMPLETED']);
  });

  test('inserts what was written as it is, and looks at it only once', () => {
    const body = '{{vars.a}} {{contact.displayName}}';
    const one = running(read([set('a', { path: 'event.text.body' }), say('You: {{vars.a|nothing}}!')]), {
      event: message(body),
    });
    const outcome = one.tell({ kind: 'go' });
    assert.ok(outcome.kind === 'effect' && outcome.effect.type === 'send_message');
    assert.equal(outcome.effect.message.text?.body, `You: ${body}!`);
  });

  test('that waits for a reply hears no word that means stop, and whatever else is written', () => {
    for (const word of ['STOP', ' désabonner ', 'Stop All']) {
      const one = running(read([reply({ save: 'answer' })]));
      assert.equal(one.tell({ kind: 'go' }).kind, 'wait');
      assert.equal(one.tell({ kind: 'event', event: received(word) }).kind, 'unchanged');
      assert.equal(one.tell({ kind: 'event', event: received('please do not stop') }).kind, 'end');
      assert.deepEqual(one.memory().vars.answer, {
        messageSid: sampleSid('SM', '1'),
        type: 'text',
        text: 'please do not stop',
        choice: null,
        receivedAt: startedAt,
      });
    }
  });

  test('keeps so little of a letter that it always fits', () => {
    const one = running(read([reply({ save: 'answer' }), reply({ save: 'other' })]));
    one.tell({ kind: 'go' });
    assert.equal(one.tell({ kind: 'event', event: received('😀'.repeat(2_048)) }).kind, 'wait');
    assert.equal(one.tell({ kind: 'event', event: received('é'.repeat(4_096)) }).kind, 'end');
  });

  test('records that somebody opted in only by what they wrote in it', () => {
    const consent = { type: 'record_consent', purpose: 'MARKETING', status: 'OPTED_IN', reply: 'ask' };
    const definition = read([reply({ id: 'ask' }), consent]);
    const one = running(definition);
    one.tell({ kind: 'go' });
    const outcome = one.tell({ kind: 'event', event: received('Yes') });
    assert.ok(outcome.kind === 'effect' && outcome.effect.type === 'record_consent');
    assert.equal(outcome.effect.messageSid, sampleSid('SM', '1'));
    const silent = running(definition);
    silent.tell({ kind: 'go' });
    silent.world.now += 3_600_000;
    const end = silent.tell({ kind: 'due' });
    assert.ok(end.kind === 'end' && end.status === 'FAILED');
    assert.equal(end.error?.code, 'WORKFLOW_NO_REPLY');
  });

  test('does not wake before its time, hears no event of another kind and no result of another step', () => {
    const one = running(read([reply(), say('Hi')]));
    one.tell({ kind: 'go' });
    one.world.now += 3_599_999;
    const strange: Input[] = [
      { kind: 'due' },
      { kind: 'go' },
      { kind: 'result', position: 1 },
      { kind: 'event', event: { ...received('x'), type: 'message.read' } },
    ];
    for (const input of strange)
      assert.deepEqual(one.tell(input), { kind: 'unchanged' }, JSON.stringify(input));
    one.world.now += 1;
    const outcome = one.tell({ kind: 'due' });
    assert.ok(outcome.kind === 'effect');
    const late: Input[] = [
      { kind: 'due' },
      { kind: 'go' },
      { kind: 'result', position: 1 },
      { kind: 'event', event: received('x') },
    ];
    for (const input of late) assert.deepEqual(one.tell(input), { kind: 'unchanged' }, JSON.stringify(input));
    assert.equal(one.tell({ kind: 'result', position: outcome.position }).kind, 'end');
    assert.deepEqual(one.tell({ kind: 'timeout' }), { kind: 'unchanged' });
  });

  test('that fails does its failureActions once, also when they fail', () => {
    const definition = read([say('one'), say('two')], { failureActions: [say('three'), say('four')] });
    const one = running(definition);
    const refuse = (outcome: Outcome) => {
      assert.ok(outcome.kind === 'effect');
      return one.tell({
        kind: 'result',
        position: outcome.position,
        error: { code: 'REFUSED', message: outcome.path },
      });
    };
    const three = refuse(one.tell({ kind: 'go' }));
    assert.ok(three.kind === 'effect' && three.path === 'failureActions[0]');
    assert.deepEqual(refuse(three), {
      kind: 'end',
      status: 'FAILED',
      outcome: null,
      error: { code: 'REFUSED', message: 'actions[0]', path: 'actions[0]' },
    });
  });

  test('whose time is over does its timeoutActions, whatever it waits for, and hears no late answer', () => {
    for (const action of [request, reply(), { type: 'wait', seconds: 60 }]) {
      const one = running(read([action], { timeoutActions: [say('Bye'), request] }));
      one.tell({ kind: 'go' });
      const bye = one.tell({ kind: 'timeout' });
      assert.ok(bye.kind === 'effect' && bye.path === 'timeoutActions[0]' && !bye.awaits);
      assert.deepEqual(one.tell({ kind: 'result', position: 1 }), { kind: 'unchanged' });
      const last = one.tell({ kind: 'result', position: bye.position });
      assert.ok(last.kind === 'effect' && last.effect.type === 'http_request' && !last.awaits);
      const end = one.tell({ kind: 'result', position: last.position });
      assert.ok(end.kind === 'end' && end.status === 'TIMED_OUT');
    }
  });

  test('waits for the answer of an endpoint and remembers it', () => {
    const one = running(read([{ ...request, save: 'order' }, say('{{vars.order.body.status|unknown}}')]));
    const asked = one.tell({ kind: 'go' });
    assert.ok(asked.kind === 'effect' && asked.awaits);
    const output = { status: 200, body: { status: 'shipped' } };
    const told = one.tell({ kind: 'result', position: asked.position, output });
    assert.ok(told.kind === 'effect' && told.effect.type === 'send_message');
    assert.equal(told.effect.message.text?.body, 'shipped');
  });

  test('fails in the step whose answer is larger than what a run may remember', () => {
    const one = running(read([{ ...request, save: 'order', onError: 'continue' }, say('{{error.code}}')]));
    const asked = one.tell({ kind: 'go' });
    assert.ok(asked.kind === 'effect');
    const told = one.tell({ kind: 'result', position: asked.position, output: { body: 'x'.repeat(20_000) } });
    assert.ok(told.kind === 'effect' && told.effect.type === 'send_message');
    assert.equal(told.effect.message.text?.body, 'WORKFLOW_VARIABLES_TOO_LARGE');
    assert.deepEqual(one.memory().vars, {});
  });

  test('rests after 25 steps, and fails after 1,000', () => {
    const rounds = (depth: number): object =>
      depth === 0 ? set('a', 1) : { type: 'repeat', max: 20, actions: [rounds(depth - 1)] };
    const one = running(read([rounds(3)], { failureActions: [say('Too much'), rounds(2)] }));
    let turns = 0;
    let outcome = one.tell({ kind: 'go' });
    for (; outcome.kind === 'pause'; turns += 1) outcome = one.tell({ kind: 'go' });
    assert.equal(turns, 40);
    assert.ok(outcome.kind === 'effect' && outcome.path === 'failureActions[0]');
    assert.equal(one.state().failure?.code, 'WORKFLOW_STEP_LIMIT');
    outcome = one.tell({ kind: 'result', position: outcome.position });
    for (let more = 0; outcome.kind === 'pause' && more < 100; more += 1) outcome = one.tell({ kind: 'go' });
    assert.ok(outcome.kind === 'end' && outcome.status === 'FAILED');
    assert.equal(one.state().position, 1_200);
    const positions = one.trace.filter(({ type }) => type === 'set_variable').map(({ position }) => position);
    assert.equal(new Set(positions).size, positions.length);
  });

  test('asks the if of a repeat once, before the first round, and its while before each', () => {
    const isGold = [{ path: 'vars.a', eq: 'gold' }];
    const rounds = (repeat: object) => {
      const body = [set('b', 1), set('a', 'silver')];
      const one = running(read([set('a', 'gold'), { type: 'repeat', max: 3, actions: body, ...repeat }]));
      assert.deepEqual(one.effects(), ['COMPLETED']);
      return one.trace.at(-1)?.output;
    };
    assert.deepEqual(rounds({ if: isGold }), { rounds: 3 });
    assert.deepEqual(rounds({ while: isGold }), { rounds: 1 });
    assert.deepEqual(rounds({ while: [{ not: isGold[0] }] }), { rounds: 0 });
  });

  test('is split the same way whenever it comes by, and in proportion over many', () => {
    const program = prepare(
      read([
        {
          type: 'split',
          cases: [
            { weight: 3, actions: [] },
            { weight: 1, actions: [] },
          ],
        },
      ]),
      catalogue,
    );
    const chosen = (sid: string) =>
      advance(
        program,
        startOf(null),
        { now: startedAt, run: { sid } as Facts['run'], event: null },
        { kind: 'go' },
      ).trace[0]?.chose;
    const first = Array.from({ length: 2_000 }, (_, i) => chosen(`WR${i}`));
    assert.deepEqual(
      first,
      Array.from({ length: 2_000 }, (_, i) => chosen(`WR${i}`)),
    );
    const share = first.filter((one) => one === 0).length / first.length;
    assert.ok(share > 0.7 && share < 0.8, `${share}`);
  });

  test('asks once for all facts that a branch compares, and only for those', () => {
    const program = prepare(
      read([
        {
          type: 'branch',
          cases: [
            { conditions: [{ window: 'closed' }], actions: [] },
            { conditions: [{ path: 'contact.locale', eq: 'fr' }, { suppressed: false }], actions: [] },
          ],
        },
      ]),
      catalogue,
    );
    const facts = { now: startedAt, run: { sid: runSid } as Facts['run'], event: null };
    const { outcome } = advance(program, startOf(null), facts, { kind: 'go' });
    assert.deepEqual(outcome, { kind: 'need', facts: ['window', 'contact', 'suppressed'] });
  });

  test('goes on at the next hour of the contact, and fails where nobody knows their zone', () => {
    const wait = { type: 'wait', localTime: { at: '09:00', timezone: 'contact' } };
    const outcome = running(read([wait])).tell({ kind: 'go' });
    assert.ok(outcome.kind === 'wait' && outcome.wait.wakeAt === '2026-08-22T07:00:00.000Z');
    const nowhere = running(read([wait]), { contact: { timezone: null } }).tell({ kind: 'go' });
    assert.ok(nowhere.kind === 'end' && nowhere.error?.code === 'WORKFLOW_NO_TIME_ZONE');
  });

  test('of any definition, told anything, gives an answer and never throws', () => {
    const anything = fc.anything({ maxDepth: 2 });
    const input = fc.oneof(
      fc.constantFrom<Input>({ kind: 'go' }, { kind: 'due' }, { kind: 'timeout' }),
      fc.record({
        kind: fc.constant('event' as const),
        event: fc.record({
          sid: fc.string(),
          type: fc.constantFrom('message.received', 'custom.event'),
          data: anything as fc.Arbitrary<object>,
        }),
      }),
      fc.record({
        kind: fc.constant('result' as const),
        position: fc.nat(9),
        output: fc.constantFrom(undefined, { a: 1 }),
      }),
    );
    fc.assert(
      fc.property(validDefinition, fc.array(input, { maxLength: 20 }), (definition, inputs) => {
        const program = prepare(definition, catalogue);
        let run = startOf(null);
        for (const one of inputs) {
          const facts = { ...factsOf(worldOf(), new Map(), null), event: null, contact: null };
          run = advance(program, run, facts, one);
        }
      }),
      { numRuns: 100 },
    );
  });
});
