// What operators watch about forms: whether people get through, and what stops whoever does not.
import { Counter, type Registry } from 'prom-client';
import { tellMetrics } from '../../platform/observability/metrics.ts';

const registers: Registry[] = [];

export const formSubmissions = new Counter({
  name: 'godwit_opt_in_submissions_total',
  help: 'Opt-in forms that were submitted without a mistake: accepted, or by the code they were refused with',
  labelNames: ['outcome'],
  registers,
});

export const tellFormMetrics = (registry: Registry) => tellMetrics(registry, [formSubmissions]);
