// Loaded first into every test process. The runner follows each promise, to tell which test an error belongs to that nobody
// caught, and every `await` takes many times as long for it. A whole run goes without: such an error still fails its file and
// shows where it comes from. A run of single files (`npm run test:only`) keeps to the runner's way, which names the test.
import asyncHooks from 'node:async_hooks';

if (process.env.TEST_WHOLE_SUITE) {
  const { createHook } = asyncHooks;
  asyncHooks.createHook = () => createHook({});
  await import('node:test');
  asyncHooks.createHook = createHook;

  process.on('uncaughtExceptionMonitor', (error) => console.error('Nobody caught', error));
  process.on('unhandledRejection', (error) => {
    console.error('Nobody caught', error);
    process.exitCode = 1;
  });
}
