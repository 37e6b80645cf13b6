// Files: for messages, and for the headers of templates.
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Answered, Connection, MediaFile, Provider, Sink } from '../../modules/provider/index.ts';
import { type Client, failed, maxAnswerBytes, succeeded } from './client.ts';
import { type Doing, failureOf } from './errors.ts';
import { fieldsOf, idOf, numberOf, parseJson, textOf } from './reading.ts';
import type { Transport } from './transport.ts';

type MediaCalls = Pick<
  Provider,
  'uploadMedia' | 'describeMedia' | 'downloadMedia' | 'deleteMedia' | 'uploadTemplateHeader'
>;

const transferMs = 5 * 60_000;
const manage: Doing = { purpose: 'manage' };

export const mediaCalls = (client: Client, transport: Transport): MediaCalls => ({
  uploadMedia: (connection, phoneNumberId, file) =>
    client.call(connection, {
      method: 'POST',
      path: `${phoneNumberId}/media`,
      raw: multipart({ messaging_product: 'whatsapp', type: file.mimeType }, file),
      doing: manage,
      // A second upload is a second file that nobody uses.
      whenLost: 'again',
      timeoutMs: transferMs,
      read(answer) {
        const mediaId = idOf(answer.id);
        return mediaId === null ? undefined : { mediaId };
      },
    }),
  describeMedia: (connection, mediaId) =>
    client.call(connection, {
      method: 'GET',
      path: mediaId,
      doing: manage,
      whenLost: 'again',
      read(answer) {
        const url = textOf(answer.url);
        const sizeBytes = numberOf(answer.file_size);
        if (url === null || sizeBytes === null) return undefined;
        return {
          url,
          mimeType: textOf(answer.mime_type) ?? 'application/octet-stream',
          sha256: textOf(answer.sha256) ?? '',
          sizeBytes,
        };
      },
    }),
  downloadMedia: (connection, url, sink) => download(transport, connection, url, sink),
  deleteMedia: (connection, mediaId) =>
    client.call(connection, {
      method: 'DELETE',
      path: mediaId,
      doing: manage,
      whenLost: 'again',
      read: succeeded,
    }),
  uploadTemplateHeader: (connection, appId, file) => uploadInPieces(client, connection, appId, file),
});

/** A form with one file, its length known beforehand, the file read as it is sent. */
function multipart(fields: Record<string, string>, file: MediaFile) {
  const boundary = `godwit-${randomUUID()}`;
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head = Buffer.from(
    `${parts.join('')}--${boundary}\r\ncontent-disposition: form-data; name="file"; ` +
      `filename="${quoted(file.filename)}"\r\ncontent-type: ${file.mimeType}\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const bytes = async function* () {
    yield head;
    yield* file.open();
    yield tail;
  };
  return {
    body: Readable.from(bytes(), { objectMode: false }),
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + file.sizeBytes + tail.length),
    },
  };
}

/** As browsers write it: a name can neither end its quotes nor the line. */
const quoted = (name: string) => name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

// Where the provider keeps files. The token goes along, so it must not go anywhere else.
const fileHosts = /(?:^|\.)(?:facebook\.com|fbsbx\.com|fbcdn\.net|whatsapp\.net|whatsapp\.com)$/;

function mayReceiveToken(url: URL, connection: Connection): boolean {
  const base = URL.parse(connection.baseUrl);
  return url.origin === base?.origin || (url.protocol === 'https:' && fileHosts.test(url.hostname));
}

async function download(
  transport: Transport,
  connection: Connection,
  address: string,
  sink: Sink,
): Promise<Answered<null>> {
  const url = URL.parse(address);
  if (!url || !mayReceiveToken(url, connection))
    return failed('MEDIA_PROVIDER_ERROR', 'The file is not kept by the provider.');
  const result = await transport.request({
    method: 'GET',
    url,
    headers: { authorization: `Bearer ${connection.accessToken}`, 'user-agent': 'godwit' },
    timeoutMs: transferMs,
    maxAnswerBytes,
    sink,
  });
  if (result.kind === 'lost') return failed('PROVIDER_TEMPORARY_ERROR', result.reason, true);
  const { status } = result;
  if (result.kind === 'too-large' && status === 200)
    return failed('MEDIA_PROVIDER_ERROR', `The file is larger than ${sink.maxBytes} bytes.`);
  if (status === 200) return { ok: true, value: null };
  const said = result.kind === 'answer' ? fieldsOf(parseJson(result.body)) : {};
  const failure = failureOf(said.error, manage, { httpStatus: status });
  if (failure) return { ok: false, failure };
  // Links die after five minutes; a new one can be asked for.
  const passing = status === 404 || status === 429 || status >= 500;
  return passing
    ? failed('PROVIDER_TEMPORARY_ERROR', `The file could not be fetched: HTTP ${status}.`, true)
    : failed('MEDIA_PROVIDER_ERROR', `The file could not be fetched: HTTP ${status}.`);
}

// One break is bad luck, five are a reason to leave it to whoever asked.
const maxBreaks = 5;

async function uploadInPieces(
  client: Client,
  connection: Connection,
  appId: string,
  file: MediaFile,
): Promise<Answered<{ handle: string }>> {
  const session = await client.call(connection, {
    method: 'POST',
    path: `${appId}/uploads`,
    query: { file_name: file.filename, file_length: String(file.sizeBytes), file_type: file.mimeType },
    doing: manage,
    whenLost: 'again',
    read: (answer) => textOf(answer.id) ?? undefined,
  });
  if (!session.ok) return session;
  let offset = 0;
  for (let breaks = 0; ; breaks += 1) {
    const sent = await sendFrom(client, connection, session.value, file, offset);
    if (sent.ok || !sent.failure.retryable || breaks === maxBreaks) return sent;
    const reached = await reachedOffset(client, connection, session.value);
    if (!reached.ok) return reached;
    if (reached.value > file.sizeBytes)
      return failed('MEDIA_PROVIDER_ERROR', 'The provider has more of the file than there is.');
    offset = reached.value;
  }
}

function sendFrom(client: Client, connection: Connection, session: string, file: MediaFile, offset: number) {
  return client.call(connection, {
    method: 'POST',
    path: session,
    raw: {
      body: offset === 0 ? file.open() : skipping(file.open(), offset),
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': String(file.sizeBytes - offset),
        file_offset: String(offset),
      },
    },
    doing: manage,
    whenLost: 'again',
    timeoutMs: transferMs,
    read(answer) {
      const handle = textOf(answer.h);
      return handle === null ? undefined : { handle };
    },
  });
}

const reachedOffset = (client: Client, connection: Connection, session: string) =>
  client.call(connection, {
    method: 'GET',
    path: session,
    doing: manage,
    whenLost: 'again',
    read: (answer) => numberOf(answer.file_offset) ?? undefined,
  });

function skipping(source: Readable, bytes: number): Readable {
  let left = bytes;
  const rest = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      const skipped = Math.min(left, chunk.length);
      left -= skipped;
      if (skipped < chunk.length) yield chunk.subarray(skipped);
    }
  };
  return Readable.from(rest(source), { objectMode: false });
}
