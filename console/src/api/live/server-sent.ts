export type ServerSent = { id: string | null; event: string; data: string };

/** Server-sent events as they arrive; comments, which only keep the connection, are left out. */
export async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSent> {
  let unread = '';
  const reader = body
    .pipeThrough(new TextDecoderStream() as never)
    .getReader() as ReadableStreamDefaultReader<string>;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = `${unread}${value}`.split('\n\n');
    unread = blocks.pop()!;
    for (const block of blocks) yield readBlock(block);
  }
}

function readBlock(block: string): ServerSent {
  const found: ServerSent = { id: null, event: 'message', data: '' };
  for (const line of block.split('\n')) {
    const [, field, value] = /^(id|event|data): ?(.*)$/.exec(line) ?? [];
    if (field === 'id') found.id = value!;
    if (field === 'event') found.event = value!;
    if (field === 'data') found.data = found.data === '' ? value! : `${found.data}\n${value}`;
  }
  return found;
}
