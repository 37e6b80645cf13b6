// A PostgreSQL that is killed with all its processes at any moment of what removes: what was committed stands, what was not is done again, and
// everything is counted once.
import { before, suite } from 'node:test';
import { sharedLifetime } from '../harness/lifetime.ts';
import { testDeaths } from './killed-service.ts';
import { type RestartedService, startKilledWork } from './killed-work.ts';
import { removalStories } from './removal-stories.ts';

// DATABASE_CRASHES=30 kills it so often in each story, at one moment after the other; otherwise at the few below.
const crashes = Number(process.env.DATABASE_CRASHES ?? 0);

let service: RestartedService;
let stories: ReturnType<typeof removalStories>;
const lifetime = sharedLifetime();
before(async () => {
  const work = await startKilledWork(lifetime, 'removals', { ownPostgres: true });
  service = work.service;
  stories = removalStories(work);
});

suite('a service whose PostgreSQL is killed', () => {
  const dying = { crashes, cuts: 'always' as const };
  testDeaths(
    'in the erasure of a person has erased them once and nobody else',
    () => service,
    () => stories.erasing(),
    {
      ...dying,
      few: [{ named: 'after commit of messages', cut: true }],
    },
  );
  testDeaths(
    'in a run of retention has removed what the preview said, once, and nothing that is held',
    () => service,
    () => stories.retention(),
    {
      ...dying,
      few: [{ named: 'before commit of messages', cut: true }],
    },
  );
  testDeaths(
    'while a hold is released has released it once, and lets go of whom and what it kept',
    () => service,
    () => stories.release(),
    {
      ...dying,
      few: [{ named: 'after commit of legal_holds', cut: true }],
    },
  );
});
