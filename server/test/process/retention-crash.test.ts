// A service that is killed, or loses its database, at any moment of a run of retention or of the release of a hold: what goes is counted
// once, what is held stays, and what a hold kept is let go.
import { before, suite } from 'node:test';
import { sharedLifetime } from '../harness/lifetime.ts';
import { testDeaths } from './killed-service.ts';
import { type RestartedService, startKilledWork } from './killed-work.ts';
import { removalStories } from './removal-stories.ts';

// RETENTION_CRASHES=200 and RELEASE_CRASHES=50 kill the service so often, at one moment of the story after the other; otherwise it is at
// the few below.
const crashes = Number(process.env.RETENTION_CRASHES ?? 0);
const releases = Number(process.env.RELEASE_CRASHES ?? 0);

let service: RestartedService;
let stories: ReturnType<typeof removalStories>;
const lifetime = sharedLifetime();
before(async () => {
  const work = await startKilledWork(lifetime, 'retention');
  service = work.service;
  stories = removalStories(work);
});

suite('a service that is killed', () => {
  testDeaths(
    'in a run of retention has removed what the preview said, once, and nothing that is held',
    () => service,
    () => stories.retention(),
    {
      crashes,
      cuts: true,
      few: [
        { named: 'before commit of messages' },
        { named: 'after commit of messages' },
        { named: 'after commit of messages', cut: true },
        { named: 'before commit of retention_policies' },
      ],
    },
  );
  testDeaths(
    'while a hold is released has released it once, and lets go of whom and what it kept',
    () => service,
    () => stories.release(),
    {
      crashes: releases,
      cuts: true,
      few: [{ named: 'before commit of legal_holds' }, { named: 'after commit of legal_holds' }],
    },
  );
});
