// Work as a stream of chunks: each commits with its checkpoint, and while one is written the next is prepared.
import { storeChildren } from './children.ts';
import { advance, endRun, type Running } from './runs.ts';
import type { Chunk, ChunksWork } from './work.ts';

export async function runChunks(running: Running, work: ChunksWork): Promise<boolean> {
  const { context, run, operation } = running;
  const chunks = work.chunks(context, operation, run.checkpoint)[Symbol.asyncIterator]();
  let { checkpoint } = run;
  try {
    for (let coming = ahead(chunks); ; ) {
      const { done, value: chunk } = await coming;
      if (done) break;
      coming = ahead(chunks);
      checkpoint = await writeChunk(running, chunk);
      if (running.mustYield()) return false;
    }
  } finally {
    await chunks.return?.();
  }
  await context.write(async (t) => {
    const result = (await work.finish?.(t, operation, checkpoint)) ?? null;
    await endRun(t, run, { result });
  });
  return true;
}

function ahead(chunks: AsyncIterator<Chunk>): Promise<IteratorResult<Chunk>> {
  const next = chunks.next();
  next.catch(() => {}); // heard when it is awaited
  return next;
}

async function writeChunk({ context, run }: Running, chunk: Chunk): Promise<object> {
  return context.write(async (t) => {
    const { children = [], done, failed, checkpoint = chunk.checkpoint } = await chunk.apply(t);
    await storeChildren(t, run.sid, children);
    await advance(t, run, { done, failed, total: chunk.total, checkpoint });
    return checkpoint;
  });
}
