// Receives forms that carry a file. The file goes to disk as it comes, so that memory stays flat however large it is,
// and what is over a limit is cut off there and then.
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import busboy from 'busboy';
import { ApiError, type ErrorDetail, invalid } from '../../errors/errors.ts';
import type { Spool, SpooledFile } from '../../spool.ts';
import { quotaReached } from '../limits/rate-limit.ts';
import { isCleanText } from './json-body.ts';

/** Removed when the request is over, unless somebody has moved it to where it stays. */
export type UploadedFile = SpooledFile & { filename: string | null; mimeType: string | null };

export type ReceivedForm = {
  fields: Record<string, string>;
  file: UploadedFile | null;
  /** Of the body as it was sent, for signatures. */
  rawSha256: string;
};

export type Uploads = {
  receive(source: Readable, contentType: string, maxFileBytes: number): Promise<ReceivedForm>;
};

type Limits = { maxMs?: number; idleMs?: number; maxAtOnce?: number };

const maxParts = 10;
const maxFieldBytes = 64 * 1024;

export function createUploads(spool: Spool, limits: Limits = {}): Uploads {
  // Long enough for 100 MB over a slow line; a line that is silent is let go much sooner.
  const { maxMs = 10 * 60_000, idleMs = 30_000, maxAtOnce = 64 } = limits;
  let underWay = 0;
  return {
    async receive(source, contentType, maxFileBytes) {
      // Each may take its size of the disk, so there is an end to how many may come at once.
      if (underWay >= maxAtOnce) throw quotaReached({ name: 'uploads', quota: maxAtOnce }, 1);
      underWay += 1;
      try {
        return await receiveForm(source, contentType, { spool, maxFileBytes, maxMs, idleMs });
      } finally {
        underWay -= 1;
      }
    },
  };
}

type Reception = { spool: Spool; maxFileBytes: number; maxMs: number; idleMs: number };

async function receiveForm(
  source: Readable,
  contentType: string,
  reception: Reception,
): Promise<ReceivedForm> {
  const parser = openParser(contentType, reception.maxFileBytes);
  const form = gatherForm(parser, reception);
  const raw = createHash('sha256');
  try {
    await feed(source, parser, reception, (chunk) => raw.update(chunk));
    return { fields: form.fields, file: await form.read(), rawSha256: raw.digest('hex') };
  } catch (error) {
    await form.discard();
    throw error;
  }
}

function openParser(contentType: string, maxFileBytes: number): busboy.Busboy {
  try {
    return busboy({
      headers: { 'content-type': contentType },
      defParamCharset: 'utf8',
      limits: {
        files: 1,
        parts: maxParts,
        fieldNameSize: 100,
        fieldSize: maxFieldBytes,
        headerPairs: 20,
        // The parser calls a file too long that only reaches the limit.
        fileSize: maxFileBytes + 1,
      },
    });
  } catch {
    throw invalid({ path: 'Content-Type', issue: 'must be multipart/form-data with a boundary' });
  }
}

function gatherForm(parser: busboy.Busboy, { spool, maxFileBytes }: Reception) {
  const fields: Record<string, string> = Object.create(null); // a name such as __proto__ is only a name
  const details: ErrorDetail[] = [];
  let spooling: Promise<UploadedFile> | null = null;
  parser.on('field', (name, value, info) => {
    if (name in fields) details.push({ path: name, issue: 'must be given once' });
    if (info.valueTruncated || info.nameTruncated)
      details.push({ path: name, issue: `must be at most ${maxFieldBytes} bytes` });
    if (!isCleanText(name) || !isCleanText(value)) details.push({ path: 'body', issue: uncleanIssue });
    fields[name] = value;
  });
  parser.on('file', (name, stream, { filename = null, mimeType }) => {
    // It may fail before anybody reads from it; whoever does is told, and the parser tells too.
    stream.on('error', () => {});
    if (name !== 'file') {
      details.push({ path: name, issue: 'is not a known property' });
      return void stream.resume();
    }
    if (!isCleanText(`${filename}${mimeType}`)) details.push({ path: 'file', issue: uncleanIssue });
    stream.once('limit', () =>
      parser.destroy(invalid({ path: 'file', issue: `must be at most ${maxFileBytes} bytes` })),
    );
    // The parser says text/plain of a part that says nothing, so that word says nothing.
    const said = mimeType === 'text/plain' ? null : mimeType || null;
    spooling = spool.fill(stream).then((file) => ({ ...file, filename, mimeType: said }));
    spooling.catch((error) => parser.destroy(error)); // a full disk ends the reading too
  });
  return {
    fields,
    async read() {
      if (details.length > 0) throw invalid(...details);
      return spooling;
    },
    async discard() {
      const file = await spooling?.catch(() => null);
      if (file) await rm(file.path, { force: true });
    },
  };
}

const uncleanIssue = 'must not hold NUL characters or lone surrogates';

/** Drives the parser from the request, and leaves the request usable whatever happens: somebody waits for an answer. */
function feed(
  source: Readable,
  parser: busboy.Busboy,
  { maxMs, idleMs }: Reception,
  see: (chunk: Buffer) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const tooSlow = () => done(invalid({ path: 'request', issue: slowIssue(maxMs, idleMs) }));
    const deadline = setTimeout(tooSlow, maxMs);
    const idle = setTimeout(tooSlow, idleMs);
    const onData = (chunk: Buffer) => {
      idle.refresh();
      see(chunk);
    };
    const onClose = () => {
      if (!source.readableEnded) done(invalid({ path: 'body', issue: 'ended early' }));
    };
    const done = (error?: Error) => {
      clearTimeout(deadline);
      clearTimeout(idle);
      source.off('data', onData).off('close', onClose).off('error', onClose);
      source.unpipe(parser);
      if (!error) return resolve();
      if (!parser.destroyed) parser.destroy();
      reject(isFault(error) ? error : invalid({ path: 'body', issue: 'is not a whole form' }));
    };
    for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
      const issue = `must hold one file and at most ${maxParts} parts`;
      parser.once(event, () => done(invalid({ path: 'body', issue })));
    }
    parser.on('error', (error) => done(error as Error));
    parser.once('close', () => done());
    source.on('data', onData).once('close', onClose).once('error', onClose);
    source.pipe(parser);
  });
}

/** Ours or the disk's; everything else the parser reports is a form that does not hold together. */
const isFault = (error: Error & { code?: string }) =>
  error instanceof ApiError || /^E[A-Z]+$/.test(error.code ?? '');

const slowIssue = (maxMs: number, idleMs: number) =>
  `must arrive in time: all of it within ${maxMs / 1000} seconds, and never ${idleMs / 1000} seconds without a byte`;
