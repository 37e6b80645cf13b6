// The engine of workflows driven by hand: what is new is looked at and what is due is done when a test says so.
import assert from 'node:assert/strict';
import { before } from 'node:test';
import type { TestApp } from '../../../test/harness/app.ts';
import { deskOf } from '../../../test/harness/inboxes.ts';
import { write } from '../../../test/harness/jobs.ts';
import type { Lifetime } from '../../../test/harness/lifetime.ts';
import { ownAccounts } from '../../../test/harness/own-account.ts';
import { fanOutOnce, loopContext } from '../../../test/harness/webhooks.ts';
import { beginConsuming } from '../../platform/event-consumers/consume.ts';
import { newPhone } from '../contacts/fixtures.ts';
import type { WorkflowRun } from './resources/schema.ts';
import type { WorkflowDecision, WorkflowRunStep } from './runs/told.ts';
import { publishedWorkflow } from './runs.test-data.ts';
import { startRuns } from './triggers/consume.ts';
import { beginTurns } from './turns/take-turns.ts';

export type Engine = Awaited<ReturnType<typeof engineOf>>;

export async function engineOf(app: TestApp, lifetime: Lifetime) {
  const context = await loopContext(app, lifetime);
  const consuming = beginConsuming(startRuns, context, { waitsMs: Number.POSITIVE_INFINITY });
  const turns = beginTurns(context);
  const consume = async () => {
    while (await consuming.turn());
  };
  const play = async () => {
    while (await turns.turn());
  };
  const isBehind = async () =>
    (
      await app.sql(
        `select from event_cursors c join event_heads h using (account_sid, livemode)
          where c.consumer = 'workflows' and h.sequence > c.sequence`,
      )
    ).length > 0;
  return {
    /** Looks at all events that are new. */
    consume,
    /** Takes runs further until none is due. */
    play,
    /** Makes deliveries of all events that are new; sends none of them. */
    async fanOut() {
      while (await fanOutOnce(context));
    },
    /** Both, until nothing is left to do at this moment. */
    async settle() {
      do {
        await consume();
        await play();
      } while (await isBehind());
    },
  };
}

/** For the tests of a file: one engine for all of them, and for each a scene in an account of its own. */
export function stage(lifetime: Lifetime) {
  const newApp = ownAccounts();
  let started: Engine;
  before(async () => {
    started = await engineOf(await newApp(), lifetime);
  });
  const engine: Engine = {
    consume: () => started.consume(),
    play: () => started.play(),
    fanOut: () => started.fanOut(),
    settle: () => started.settle(),
  };
  return { engine, newApp, newScene: async (): Promise<Scene> => sceneOf(await newApp()) };
}

export type Scene = Awaited<ReturnType<typeof sceneOf>>;

/** An account with a sender, a person who answers, and customers who write. */
export async function sceneOf(app: TestApp) {
  const desk = deskOf(app);
  const senderSid = await desk.sender();
  const list = async <T>(path: string): Promise<T[]> => {
    const reply = await app.get(`${app.at}/workflows/${path}?limit=100`);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data;
  };
  return {
    app,
    desk,
    senderSid,
    publish: (definition: object) => publishedWorkflow(app, definition),
    /** Somebody who writes, always the same. */
    customer() {
      const waId = newPhone().slice(1);
      return {
        waId,
        writes: (body: string) => desk.hears(senderSid, waId, body),
        async contactSid(): Promise<string> {
          const [row] = await app.sql<{ contact_sid: string }>(
            'select contact_sid from contact_identifiers where account_sid = $1 and value = $2',
            [app.accountSid, `+${waId}`],
          );
          return row!.contact_sid;
        },
      };
    },
    runs: (workflowSid: string) => list<WorkflowRun>(`${workflowSid}/runs`),
    decisions: (workflowSid: string) => list<WorkflowDecision>(`${workflowSid}/decisions`),
    timeline: ({ workflowSid, sid }: WorkflowRun) =>
      list<WorkflowRunStep>(`${workflowSid}/runs/${sid}/timeline`),
    /** What was sent, oldest first. */
    async sent(): Promise<string[]> {
      const rows = await app.sql<{ body: string }>(
        `select content ->> 'body' as body from messages where account_sid = $1 and direction = 'outbound'
          order by created_at, sid`,
        [app.accountSid],
      );
      return rows.map(({ body }) => body);
    },
    write: <T>(work: Parameters<typeof write<T>>[1]) => write({ app }, work),
  };
}

export const text = (body: string, more: object = {}) => ({
  type: 'send_message',
  message: { type: 'text', text: { body } },
  ...more,
});

/** What became of each step, in few words. */
export const brief = (steps: WorkflowRunStep[]) =>
  steps.map(({ position, type, outcome }) => `${position} ${type} ${outcome}`);

export const on = (trigger: object = {}) => ({ eventTypes: ['MESSAGE_RECEIVED'], ...trigger });
export const hearing = (word: string) => [{ path: 'event.text.body', words: [word] }];
export const doing = (actions: object[], more: object = {}) => ({
  trigger: on(),
  conditions: [],
  actions,
  ...more,
});
export const pause = { type: 'wait', seconds: 60 };
export const states = (runs: WorkflowRun[]) => runs.map(({ status, outcome }) => [status, outcome]).sort();
export const counts = (values: string[]) =>
  Object.fromEntries([...Map.groupBy(values, (value) => value)].map(([value, all]) => [value, all.length]));
export const decided = async (scene: Scene, workflowSid: string) =>
  counts((await scene.decisions(workflowSid)).map(({ decision }) => decision));
