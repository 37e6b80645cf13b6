// Loaded into every test process. A file whose tests are over but that left something open would wait for ever, and
// the whole run with it: it fails instead, and says what was still open. The timer itself keeps nothing alive.
// It begins anew with every test that ends, and every round of a test that has as many as it is asked for: a busy machine may
// take as long as it likes for many.
import { afterEach } from 'node:test';

const minutes = 8;
let timer: NodeJS.Timeout | undefined;
let current = process.argv[1];

/** Begins anew, with every file of a process that runs several too. */
export function beginDeadline(file = current): void {
  current = file;
  clearTimeout(timer);
  timer = setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    console.error(`${file} ended no test or round of one within ${minutes} minutes; still open: ${open}`);
    process.exit(1);
  }, minutes * 60_000).unref();
}

if (process.env.NODE_TEST_CONTEXT) {
  beginDeadline();
  afterEach(() => beginDeadline());
}
