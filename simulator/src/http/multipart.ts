// Forms with files in them, read whole: nothing here is larger than the provider's own limit.
import type { Readable } from 'node:stream';
import busboy from 'busboy';
import type { FastifyRequest } from 'fastify';
import { GraphError } from '../errors.ts';
import { mostMediaBytes } from '../media/media-types.ts';
import type { Call } from './http.ts';

export type Form = {
  fields: Record<string, string>;
  file: { bytes: Buffer; mimeType: string; tooLarge: boolean } | null;
};

/** The fields of the query count as fields of the form. */
export async function readForm({ request, fields }: Call): Promise<Form> {
  const form = await parseForm(request);
  return { ...form, fields: { ...fields, ...form.fields } };
}

function parseForm(request: FastifyRequest): Promise<Form> {
  if (!/^multipart\/form-data/i.test(request.headers['content-type'] ?? ''))
    throw new GraphError(100, 'The body must be multipart/form-data.');
  return new Promise((done, fail) => {
    const refuse = () => fail(new GraphError(100, 'The form could not be read.'));
    let parser: busboy.Busboy;
    try {
      parser = busboy({
        headers: request.headers,
        limits: { fileSize: mostMediaBytes + 1, files: 1, fields: 50 },
      });
    } catch {
      refuse(); // without a boundary
      return;
    }
    const form: Form = { fields: {}, file: null };
    parser.on('field', (name, value) => {
      form.fields[name] = value;
    });
    parser.on('file', (_name, stream, { mimeType }) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        form.file = { bytes: Buffer.concat(chunks), mimeType, tooLarge: stream.truncated === true };
      });
    });
    parser.on('close', () => done(form));
    parser.on('error', refuse);
    (request.body as Readable).on('error', refuse).pipe(parser);
  });
}
