// What operators watch about messages. The counters live here, where things happen; `/metrics` of a process tells them.
import { Counter, Histogram, type Metric, type Registry } from 'prom-client';
import { tellMetrics } from '../../platform/observability/metrics.ts';

const registers: Registry[] = [];

export const statusesApplied = new Counter({
  name: 'godwit_message_statuses_total',
  help: 'Statuses the provider reported, by what they were and whether they told anything new or made us try again',
  labelNames: ['status', 'outcome'],
  registers,
});
export const messagesReceived = new Counter({
  name: 'godwit_messages_received_total',
  help: 'Messages that came in, by type',
  labelNames: ['type'],
  registers,
});
export const handOffs = new Counter({
  name: 'godwit_message_handoffs_total',
  help: 'Hand-offs to the provider, by outcome',
  labelNames: ['outcome'],
  registers,
});
export const messagesGivenUp = new Counter({
  name: 'godwit_messages_given_up_total',
  help: 'Messages the provider never spoke of again, by the status they were left in',
  labelNames: ['status'],
  registers,
});
export const handOffSeconds = new Histogram({
  name: 'godwit_message_acceptance_to_handoff_seconds',
  help: 'Time from the acceptance of a message, or the moment it was to be sent at, to its first hand-off',
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  registers,
});
export const claimsPutOff = new Counter({
  name: 'godwit_dispatch_claims_put_off_total',
  help: 'Claims that gave way to somebody who was just being suppressed, opting out or losing a sender',
  registers,
});
export const leaseTakeovers = new Counter({
  name: 'godwit_dispatch_lease_takeovers_total',
  help: 'Lanes taken over from a process that fell silent',
  registers,
});

const all: Metric[] = [
  statusesApplied,
  messagesReceived,
  handOffs,
  messagesGivenUp,
  handOffSeconds,
  claimsPutOff,
  leaseTakeovers,
];

export const tellMessageMetrics = (registry: Registry): void => tellMetrics(registry, all);
