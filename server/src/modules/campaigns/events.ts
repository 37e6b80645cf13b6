import { declareEvents } from '../../platform/events.ts';
import { sampleTime } from '../../platform/samples.ts';
import { campaignSample, launchedSample } from './samples.ts';
import { Campaign } from './schema.ts';

const since = '2026-08-21';
const { operationSid, launchedBy, launchedAt, progress } = launchedSample;
const launched = { operationSid, launchedBy, launchedAt };
const running = { ...launched, startedAt: sampleTime, progress };

export const campaignEvents = declareEvents('campaign', Campaign, campaignSample, {
  created: { since, description: 'A campaign was drafted.' },
  updated: { since, description: 'The draft of a campaign was changed.', sample: { version: 2 } },
  deleted: { since, description: 'The draft of a campaign was deleted.' },
  scheduled: {
    since,
    description: 'A campaign was launched: its audience is cut, and it begins when its time has come.',
    sample: { ...launched, state: 'SCHEDULED' },
  },
  started: {
    since,
    description: 'A campaign began to admit messages.',
    sample: { ...running, state: 'RUNNING' },
  },
  paused: {
    since,
    description: 'A campaign rests: somebody paused it, or it met what `reason` names.',
    sample: { ...running, state: 'PAUSED', reason: 'INSUFFICIENT_FUNDS' },
  },
  resumed: { since, description: 'A campaign goes on.', sample: { ...running, state: 'RUNNING' } },
  completed: {
    since,
    description: 'Each recipient of a campaign has a message or a recorded refusal.',
    sample: {
      ...running,
      state: 'COMPLETED',
      progress: { recipients: 42, pending: 0, admitted: 40, refused: 2 },
      finishedAt: sampleTime,
    },
  },
  canceled: {
    since,
    description: 'A campaign was canceled: nobody else is written to.',
    sample: { ...running, state: 'CANCELED', finishedAt: sampleTime },
  },
  failed: {
    since,
    description: 'A campaign came to an end that nobody expected: nobody else is written to.',
    sample: { ...running, state: 'FAILED', reason: 'INTERNAL_PERMANENT_ERROR', finishedAt: sampleTime },
  },
});
