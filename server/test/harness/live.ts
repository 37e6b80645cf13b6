// Whoever hears of what happens in an account, as a client does: over HTTP, event by event.
import type { TestApp } from './app.ts';

type Told = { event: string; id: string | null; data: unknown };

const readBlock = (block: string): Told => {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? null;
  const data = field('data');
  return { event: field('event') ?? 'none', id: field('id'), data: data === null ? null : JSON.parse(data) };
};

export type HeardHint = { sequence: number; type: string; resourceSid: string | null };

export type Listener = {
  status: number;
  reply: Response;
  /** Everything that was said so far. */
  text(): string;
  hints(): HeardHint[];
  told(): Told[];
  /** The id to come back with. */
  lastId(): string | null;
  /** Resolves when the service has ended the stream. */
  ended: Promise<void>;
  hangUp(): void;
};

/** Opens a stream and listens until it ends or somebody hangs up. */
export async function listenTo(app: TestApp, headers: object, at = app.at): Promise<Listener> {
  const gone = new AbortController();
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  const reply = await fetch(`${app.url}${at}/live`, { headers: given, signal: gone.signal });
  let said = '';
  const listen = async () => {
    for await (const piece of reply.body!.pipeThrough(new TextDecoderStream())) said += piece;
  };
  const ended = listen().catch(() => {});
  const told = () => said.split('\n\n').slice(0, -1).map(readBlock);
  return {
    status: reply.status,
    reply,
    text: () => said,
    told,
    hints: () =>
      told()
        .filter(({ event }) => event === 'hint')
        .map(({ data }) => data as HeardHint),
    lastId: () => told().findLast(({ id }) => id !== null)?.id ?? null,
    ended,
    hangUp: () => gone.abort(),
  };
}
