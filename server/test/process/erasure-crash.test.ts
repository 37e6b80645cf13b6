// A service that is killed, or loses its database, at any moment of the erasure of a person: it goes on where it stood, what is erased is
// counted once, and nobody else loses anything.
import { before, suite } from 'node:test';
import { sharedLifetime } from '../harness/lifetime.ts';
import { testDeaths } from './killed-service.ts';
import { type RestartedService, startKilledWork } from './killed-work.ts';
import { removalStories } from './removal-stories.ts';

// ERASURE_CRASHES=200 kills the service so often, at one moment of the story after the other; otherwise at the few below.
const crashes = Number(process.env.ERASURE_CRASHES ?? 0);

let service: RestartedService;
let stories: ReturnType<typeof removalStories>;
const lifetime = sharedLifetime();
before(async () => {
  const work = await startKilledWork(lifetime, 'erasure');
  service = work.service;
  stories = removalStories(work);
});

suite('a service that is killed', () => {
  testDeaths(
    'in the erasure of a person has erased them once and nobody else',
    () => service,
    () => stories.erasing(),
    {
      crashes,
      cuts: true,
      few: [
        // Whoever asks for it asks again, and there is one request; the second of that name begins it.
        { named: 'before commit of privacy_requests' },
        { named: 'after commit of privacy_requests', nth: 2 },
        { named: 'after commit of messages' },
        { named: 'before commit of messages', cut: true },
      ],
    },
  );
});
