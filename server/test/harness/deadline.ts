// Loaded into every test process. A file whose tests are over but that left something open would wait for ever, and
// the whole run with it: it fails instead, and says what was still open. The timer itself keeps nothing alive.
const minutes = 8;
let timer: NodeJS.Timeout | undefined;

/** Begins anew with every file of a process that runs several. */
export function beginDeadline(file = process.argv[1]): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ');
    console.error(`${file} did not end within ${minutes} minutes; still open: ${open}`);
    process.exit(1);
  }, minutes * 60_000).unref();
}

if (process.env.NODE_TEST_CONTEXT) beginDeadline();
