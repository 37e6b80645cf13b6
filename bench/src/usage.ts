// What processes use, read while they run.
import { readdir, readFile } from 'node:fs/promises';

export type ServerUsage = { cpuSeconds: number; rssMb: number };

/** As a server tells it at `/metrics`, by the names Prometheus clients share. */
export async function serverUsage(url: string): Promise<ServerUsage> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
  return {
    cpuSeconds: value('process_cpu_seconds_total'),
    rssMb: value('process_resident_memory_bytes') / 1024 ** 2,
  };
}

// The kernel counts CPU time in ticks of a hundredth of a second.
const ticksPerSecond = 100;

/** CPU seconds of a process and its children so far; null where the system has no /proc. */
export async function familyCpuSeconds(pid: number): Promise<number | null> {
  if (process.platform !== 'linux') return null;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map(readStat));
  const family = stats.filter((stat) => stat !== null && (stat.pid === pid || stat.parent === pid));
  // Children that have ended are counted with their parent.
  return (
    family.reduce((sum, stat) => sum + stat!.ownTicks + (stat!.pid === pid ? stat!.endedTicks : 0), 0) /
    ticksPerSecond
  );
}

/** The same to the nanosecond, which a process at rest needs. What children used that have ended meanwhile is not in it. */
export async function exactCpuSeconds(pid: number, children = false): Promise<number | null> {
  if (process.platform !== 'linux') return null;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map(readStat));
  const family = stats.filter((stat) => stat?.pid === pid || (children && stat?.parent === pid));
  const times = await Promise.all(family.map((stat) => threadSeconds(stat!.pid)));
  return times.reduce((sum, seconds) => sum + seconds, 0);
}

async function threadSeconds(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const texts = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0')),
  );
  return texts.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1e9;
}

/** What of a process is in memory; null where the system has no /proc. */
export async function residentMb(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const found = /^VmRSS:\s+(\d+) kB/m.exec(text);
  return found ? Number(found[1]) / 1024 : null;
}

async function readStat(pid: string) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name stands in parentheses and may hold anything, so the fields are counted from behind it.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  if (text === '') return null;
  const ticks = (from: number) => fields[from]! + fields[from + 1]!;
  return { pid: Number(pid), parent: fields[1]!, ownTicks: ticks(11), endedTicks: ticks(13) };
}
