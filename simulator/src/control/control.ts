// What people and tests tell the simulator to do: in the same process by these functions, from elsewhere by `/_control`.
import { randomUUID } from 'node:crypto';
import { handshake, type SentCallback } from '../callbacks/callbacks.ts';
import type { Ring } from '../callbacks/ring.ts';
import { diceSeed } from '../create-simulation.ts';
import { type InboundInput, receiveInbound } from '../messages/inbound.ts';
import type { AcceptedMessage, Command } from '../record.ts';
import type { NewRule, Rule } from '../rules.ts';
import type { Settings } from '../settings.ts';
import type { Simulation } from '../simulation.ts';
import { finishDeletions } from '../templates/template-deletion.ts';
import { forgetPerson } from './forget-person.ts';
import * as updates from './updates.ts';

export type Page<T> = { data: T[]; after: number; total: number };

function pageOf<T>(record: Ring<T>, after: number, limit: number): Page<T> {
  const { items, last } = record.page(after, limit);
  return { data: items, after: last, total: record.total() };
}

export type Control = ReturnType<typeof createControl>;

export function createControl(simulation: Simulation, forgetTenants: () => void) {
  const { timeline, callbacks, links, records, rules, settings } = simulation;

  /** Does what has fallen due, and waits until every callback on its way has arrived or failed. */
  const settle = async (): Promise<void> => {
    for (;;) {
      timeline.runDue();
      await new Promise<void>((next) => setImmediate(next));
      await links.idle();
      await callbacks.idle();
      if (timeline.soon() === 0 && links.isIdle() && callbacks.isIdle()) return;
    }
  };

  return {
    settle,
    /** Moves the simulator's clock on and settles. */
    async advance(ms: number): Promise<void> {
      timeline.advance(ms);
      await settle();
    },
    /** The handshake the provider makes when a callback address is set: whether who answers there knows the token. */
    async verifyCallback(): Promise<boolean> {
      const { callbackUrl, verifyToken } = simulation.options;
      const url = simulation.appCallbackUrl ?? callbackUrl();
      return url !== null && handshake(url, verifyToken, randomUUID());
    },
    now: () => new Date(timeline.nowMs()),
    settings,
    addRule: (rule: NewRule): Rule => rules.add(rule),
    removeRule: (id: string) => rules.remove(id),
    rules: () => rules.list(),
    clearRules: () => rules.clear(),
    inbound: (input: InboundInput) => receiveInbound(simulation, input),
    ...updates.bound(simulation),
    /** No token of the account given so far opens it any more; a signup makes the next. */
    revokeTokens(wabaId: string): boolean {
      const waba = simulation.world.wabas.get(wabaId);
      if (!waba) return false;
      waba.grant += 1;
      forgetTenants();
      simulation.world.changed();
      return true;
    },
    counts: () => ({
      ...records.counts(),
      callbacks: { ...callbacks.counts },
      scheduled: timeline.waiting(),
    }),
    messages: (after = 0, limit = 100): Page<AcceptedMessage> => pageOf(records.messages, after, limit),
    commands: (after = 0, limit = 100): Page<Command> => pageOf(records.commands, after, limit),
    messagesWithOpaque: (opaque: string): AcceptedMessage[] => records.withOpaque(opaque),
    message: (id: string) => records.find(id),
    callbacks: (after = 0, limit = 100): Page<SentCallback> => pageOf(callbacks.record, after, limit),
    /** Forgets one person: what was recorded of them and their messages, blocks, windows, wishes and files; by some accounts only, if named. */
    forgetPerson: (from: string, wabaIds: readonly string[] | null = null) =>
      forgetPerson(simulation, from, wabaIds),
    /** Forgets what was recorded, scheduled and ruled; with `everything`, also accounts, templates and media. */
    reset({ everything = false, seed }: { everything?: boolean; seed?: string } = {}): void {
      timeline.clear();
      rules.clear();
      records.clear();
      callbacks.record.clear();
      simulation.people.forget();
      simulation.rates.forget();
      simulation.analytics.forget();
      simulation.pacing.forget();
      links.forget();
      simulation.undelivered.clear();
      finishDeletions(simulation);
      if (seed !== undefined) {
        simulation.random.reseed(seed);
        simulation.dice.reseed(diceSeed(seed));
      }
      if (!everything) return;
      const { portfolios, wabas, numbers, templates, media, flows, allocations } = simulation.world;
      for (const template of [...templates.values()]) simulation.world.removeTemplate(template);
      for (const table of [portfolios, wabas, numbers, media, flows, allocations]) table.clear();
      forgetTenants();
      simulation.world.changed();
    },
    /** Takes effect at once. */
    configure(change: Partial<Settings>): Settings {
      return Object.assign(settings, change);
    },
  };
}
