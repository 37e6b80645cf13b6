// The console as it is served, built once for all tests that want it.
import { openConsole } from '../../src/main/console/open.ts';
import type { Console, ConsoleFiles } from '../../src/platform/http/console.ts';
import { createLog } from '../../src/platform/observability/logging.ts';

export async function builtConsole(): Promise<Console & { files: ConsoleFiles }> {
  const opened = openConsole(createLog('error'), { patiently: false });
  await opened.settled;
  const files = opened.state();
  if (typeof files === 'string') throw new Error(`The console cannot be tested: ${files}`);
  return { state: () => files, files };
}
