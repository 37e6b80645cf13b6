// The console beside a service that starts: read at once where it is built, built by a process of its own otherwise.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Console } from '../../platform/http/console.ts';
import type { Log } from '../../platform/observability/logging.ts';
import { exists, folderOf } from './build.ts';
import { readFiles } from './files.ts';
import { stampOfSources, workspace } from './sources.ts';

export type OpenedConsole = Console & {
  /** Settles when the console is there, or will not be. */
  settled: Promise<void>;
  stop(): Promise<void>;
};

/** `patiently` leaves the machine to everybody else, as a start of the service needs it. */
export function openConsole(log: Log, { patiently = true } = {}): OpenedConsole {
  let state: ReturnType<Console['state']> = 'building';
  let child: ChildProcess | null = null;
  let isStopped = false;
  const settle = async () => {
    if (!(await exists(workspace))) return 'absent';
    const folder = folderOf(stampOfSources());
    const ready = await readFiles(folder);
    if (ready || isStopped) return ready;
    const started = performance.now();
    child = startBuild(patiently);
    await endOf(child);
    if (isStopped) return null;
    log.info({ seconds: Math.round(performance.now() - started) / 1000 }, 'the console is built');
    return readFiles(folder);
  };
  const settled = settle().then(
    (files) => {
      state = files ?? 'failed';
    },
    (error) => {
      state = 'failed';
      if (!isStopped) log.error({ err: error }, 'the console could not be built');
    },
  );
  return {
    state: () => state,
    settled,
    async stop() {
      isStopped = true;
      child?.kill();
      await settled;
    },
  };
}

function startBuild(patiently: boolean): ChildProcess {
  const script = fileURLToPath(new URL('./build-process.ts', import.meta.url));
  return spawn(process.execPath, [script, ...(patiently ? ['--patiently'] : [])], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

async function endOf(child: ChildProcess): Promise<void> {
  let said = '';
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(-4_000);
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code !== 0) throw new Error(`the build ended with ${code ?? signal}: ${said.trim()}`);
}
