// What a request carries: JSON, or a form with a file.
import { bytesOf } from './hmac.ts';

export type Body = { content: string | FormData | Uint8Array<ArrayBuffer>; type: string | null };

/** Null where nothing is sent. A body with a `Blob` as its `file` goes as a form. */
export function bodyOf(value: unknown): Body | null {
  if (value === undefined) return null;
  if (!hasFile(value)) return { content: JSON.stringify(value), type: 'application/json' };
  const { file, ...fields } = value;
  const form = new FormData();
  for (const [name, field] of Object.entries(fields))
    if (field !== undefined && field !== null) form.append(name, String(field));
  // Last, since a receiver that reads as it comes should know the fields before the file.
  if ('name' in file) form.append('file', file, String(file.name));
  else form.append('file', file);
  // The boundary is chosen, and told, by whoever writes the form.
  return { content: form, type: null };
}

const hasFile = (value: unknown): value is { file: Blob } =>
  typeof value === 'object' && value !== null && 'file' in value && value.file instanceof Blob;

/** The same with its bytes known, for those that sign them. */
export async function inBytes({
  content,
  type,
}: Body): Promise<{ content: Uint8Array<ArrayBuffer>; type: string }> {
  if (!(content instanceof FormData)) return { content: bytesOf(content), type: type! };
  const form = new Response(content);
  return { content: new Uint8Array(await form.arrayBuffer()), type: form.headers.get('content-type')! };
}
