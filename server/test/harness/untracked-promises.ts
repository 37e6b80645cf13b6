// Loaded into every test process before anything loads `node:test`. The test runner has every promise told to it, when it comes to be
// and when it is gone, to know in which test an error was thrown that nobody caught: a tenth of what the tests of the service cost.
// So it is told of everything but promises. Such an error fails the run as ever; its text is told, and not its test.
import asyncHooks from 'node:async_hooks';

const { createHook } = asyncHooks;
asyncHooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
