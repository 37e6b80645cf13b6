// Media by link is fetched, as the provider does, and judged like an uploaded file. A link is a stranger's wish: only public
// addresses are asked, on this machine only where that is allowed, for a limited time and number of bytes.
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Agent, request } from 'undici';
import type { Timeline } from '../timeline.ts';
import { contentProblem } from './codecs.ts';
import { bareMime, kindOfMime, mostBytesOf } from './media-types.ts';
import { isLoopback, isPublic } from './public-addresses.ts';

/** `believed`: not fetched at all; `public`: from public addresses alone; `loopback`: from this machine as well. */
export type LinkMode = 'believed' | 'public' | 'loopback';
export type Link = { url: string; kind: string };
export type Links = ReturnType<typeof createLinks>;

const cachedMs = 10 * 60_000;
const mostCached = 1_000;
const mostAtOnce = 4;
const mostRedirects = 3;
const patienceMs = 10_000;

// Names that lead nowhere by agreement stand in examples and tests: what they offer is taken on trust.
const ofExamples = /(^|\.)(example|test|example\.(com|net|org))$/;

export function createLinks(mode: LinkMode, timeline: Timeline) {
  const known = new Map<string, { problem: Promise<string | null>; atMs: number }>();
  const waiting: (() => void)[] = [];
  let busy = 0;

  /** A few at a time: each may hold a whole file in memory. */
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (busy < mostAtOnce) busy += 1;
    else await new Promise<void>((turn) => waiting.push(turn));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else busy -= 1;
    }
  };

  const problemOf = ({ url, kind }: Link): Promise<string | null> => {
    const key = `${kind} ${url}`;
    const nowMs = timeline.nowMs();
    const cached = known.get(key);
    if (cached && nowMs < cached.atMs + cachedMs) return cached.problem;
    const problem = inTurn(() => fetchProblem(url, kind, mode === 'loopback'));
    known.delete(key);
    known.set(key, { problem, atMs: nowMs });
    if (known.size > mostCached) known.delete(known.keys().next().value!);
    return problem;
  };

  let checking = 0;
  let onIdle: (() => void)[] = [];
  const checked = () => {
    checking -= 1;
    if (checking > 0) return;
    for (const wake of onIdle) wake();
    onIdle = [];
  };
  return {
    /** Those that are to be fetched before a message can go on its way. */
    toFetch: (links: Link[]): Link[] =>
      mode === 'believed' ? [] : links.filter(({ url }) => !ofExamples.test(new URL(url).hostname)),
    /** Tells what is wrong with the first link that cannot be used, or null. */
    async check(links: Link[], tell: (problem: string | null) => void): Promise<void> {
      checking += 1;
      try {
        const problems = await Promise.all(links.map(problemOf));
        tell(problems.find((problem) => problem !== null) ?? null);
      } finally {
        checked();
      }
    },
    /** Resolves once nothing is being fetched. */
    async idle(): Promise<void> {
      if (checking > 0) await new Promise<void>((wake) => onIdle.push(wake));
    },
    isIdle: () => checking === 0,
    forget: () => known.clear(),
  };
}

/** What is wrong with the file behind a link, in words; null when it can be sent. */
async function fetchProblem(text: string, kind: string, allowLoopback: boolean): Promise<string | null> {
  const deadline = AbortSignal.timeout(patienceMs);
  let url = text;
  try {
    for (let hops = 0; hops <= mostRedirects; hops += 1) {
      const answer = await ask(new URL(url), kind, allowLoopback, deadline);
      if (!('location' in answer)) return answer.problem;
      url = new URL(answer.location, url).href;
    }
    return 'The link leads from one address to the next.';
  } catch {
    return 'The link could not be fetched.';
  }
}

type Answer = { location: string } | { problem: string | null };

async function ask(url: URL, kind: string, allowLoopback: boolean, signal: AbortSignal): Promise<Answer> {
  const addresses = await allowedAddresses(url, allowLoopback);
  if (!addresses) return { problem: 'The link does not lead to a public address.' };
  // Connected to the addresses that were judged: a name that answers otherwise the second time changes nothing.
  const agent = new Agent({
    connect: {
      lookup: (_host, { all }, found) =>
        all ? found(null, addresses) : found(null, addresses[0]!.address, addresses[0]!.family),
    },
  });
  try {
    const { statusCode, headers, body } = await request(url, { dispatcher: agent, signal });
    body.on('error', () => {}); // what is not read to its end is broken off below
    if (statusCode >= 300 && statusCode < 400 && typeof headers.location === 'string')
      return { location: headers.location };
    if (statusCode !== 200) return { problem: `The link answers ${statusCode}.` };
    const mime = bareMime(String(headers['content-type'] ?? ''));
    if (kindOfMime(mime) !== kind)
      return { problem: `${mime || 'A file without a type'} cannot be sent as ${kind}.` };
    const bytes = await readAtMost(body, mostBytesOf(kind));
    return { problem: bytes ? contentProblem(mime, bytes) : 'The file behind the link is too large.' };
  } finally {
    await agent.destroy();
  }
}

async function readAtMost(body: AsyncIterable<Buffer>, most: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > most) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Where the host leads, if every one of its addresses may be asked. */
async function allowedAddresses(url: URL, allowLoopback: boolean): Promise<LookupAddress[] | null> {
  if (!['http:', 'https:'].includes(url.protocol) || url.username || url.password) return null;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  const addresses = family > 0 ? [{ address: host, family }] : await lookup(host, { all: true });
  const allowed = ({ address }: LookupAddress) => isPublic(address) || (allowLoopback && isLoopback(address));
  return addresses.length > 0 && addresses.every(allowed) ? addresses : null;
}
