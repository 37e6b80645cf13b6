// A file to look around in: any few bytes of it, without holding the rest.
import { open } from 'node:fs/promises';

export type FileBytes = {
  path: string;
  size: number;
  /** Exactly these bytes; asking beyond the end throws `OutOfBytes`, for a file that promises more than it has. */
  read(at: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
};

export class OutOfBytes extends Error {}

const windowBytes = 64 * 1024;

export async function openFileBytes(path: string): Promise<FileBytes> {
  const file = await open(path);
  const { size } = await file.stat();
  let window = Buffer.alloc(0);
  let windowAt = 0;
  const load = async (at: number, length: number) => {
    const buffer = Buffer.alloc(Math.min(length, size - at));
    for (let read = 0; read < buffer.length; ) {
      const { bytesRead } = await file.read(buffer, read, buffer.length - read, at + read);
      if (bytesRead === 0) throw new OutOfBytes();
      read += bytesRead;
    }
    return buffer;
  };
  return {
    path,
    size,
    async read(at, length) {
      if (at < 0 || length < 0 || at + length > size) throw new OutOfBytes();
      if (length > windowBytes) return load(at, length);
      // Formats are walked in small steps, so the next few are mostly in hand already.
      if (at < windowAt || at + length > windowAt + window.length) {
        window = await load(at, windowBytes);
        windowAt = at;
      }
      return window.subarray(at - windowAt, at - windowAt + length);
    },
    close: () => file.close(),
  };
}
