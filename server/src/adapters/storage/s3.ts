// Media in an S3-compatible store. The operator names the endpoint, no tenant can: it is called directly.
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { AwsV4Signer } from 'aws4fetch';
import { type Dispatcher, request } from 'undici';
import type { MediaStore } from '../../modules/media/index.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import type { Spool } from '../../platform/spool.ts';

type Settings = {
  /** Endpoint and bucket. */
  bucketUrl: string;
  /** What every name in the bucket begins with: empty, or ending with a slash. */
  prefix: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  spool: Spool;
};

type Call = {
  method: 'GET' | 'PUT' | 'DELETE' | 'HEAD';
  /** Null for the bucket itself. */
  key: string | null;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Readable;
  /** In hexadecimal; the store refuses a body that differs. */
  bodySha256?: string;
};

const headersTimeoutMs = 30_000;
const silenceTimeoutMs = 60_000;

export function s3Store({ bucketUrl, prefix, spool, ...credentials }: Settings): MediaStore {
  const call = async ({ method, key, query, headers = {}, body, bodySha256 = sha256Hex('') }: Call) => {
    const url = new URL(key === null ? bucketUrl : `${bucketUrl}/${prefix}${key}`);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    const signer = new AwsV4Signer({
      method,
      url: url.toString(),
      headers: { ...headers, 'x-amz-content-sha256': bodySha256 },
      service: 's3',
      ...credentials,
    });
    const signed = await signer.sign();
    return request(signed.url, {
      method,
      headers: Object.fromEntries(signed.headers),
      headersTimeout: headersTimeoutMs,
      bodyTimeout: silenceTimeoutMs,
      ...(body && { body }),
    });
  };
  const open = async (key: string, range?: { start: number; end: number }) => {
    const headers = range && { range: `bytes=${range.start}-${range.end}` };
    const answer = await call({ method: 'GET', key, ...(headers && { headers }) });
    await expectStatus(answer, range ? [206] : [200]);
    return answer.body;
  };
  return {
    async put(key, file) {
      const answer = await call({
        method: 'PUT',
        key,
        headers: { 'content-length': String(file.sizeBytes) },
        body: createReadStream(file.path),
        bodySha256: file.sha256,
      });
      await expectStatus(answer, [200]);
      await answer.body.dump();
      await rm(file.path, { force: true });
    },
    open,
    async borrow(key) {
      const { path } = await spool.fill(await open(key));
      return { path, release: () => rm(path, { force: true }) };
    },
    async *list(folder) {
      let more: Record<string, string> = {};
      do {
        const query = { 'list-type': '2', prefix: `${prefix}${folder}`, ...more };
        const answer = await call({ method: 'GET', key: null, query });
        await expectStatus(answer, [200]);
        const page = await answer.body.text();
        for (const name of valuesOf(page, 'Key')) yield name.slice(prefix.length);
        const [next] = valuesOf(page, 'NextContinuationToken');
        more = next === undefined ? {} : { 'continuation-token': next };
      } while ('continuation-token' in more);
    },
    async remove(key) {
      const answer = await call({ method: 'DELETE', key });
      await expectStatus(answer, [200, 204, 404]);
      await answer.body.dump();
    },
    async check() {
      // Nothing stands there; that it is said, and not refused, shows that the credentials are taken.
      const answer = await call({ method: 'HEAD', key: 'godwit-check' });
      await expectStatus(answer, [200, 404]);
    },
  };
}

/** The texts of all elements of one name; what is listed are names that this service gave. */
const valuesOf = (xml: string, element: string): string[] =>
  [...xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g'))].map(([, text]) =>
    text!
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&apos;', "'")
      .replaceAll('&amp;', '&'),
  );

async function expectStatus(
  { statusCode, body }: Dispatcher.ResponseData,
  expected: number[],
): Promise<void> {
  if (expected.includes(statusCode)) return;
  const code = /<Code>(\w{1,64})<\/Code>/.exec(await body.text().catch(() => ''))?.[1];
  throw new Error(`the media store answered ${statusCode}${code ? ` ${code}` : ''}`);
}
