// Notes in which contexts a process seals, so that a test which has its master key can open whatever it left. Loaded before a process of the
// service by `--import`, with NOTED_CONTEXTS naming the file; in a test's own process by a call.
import crypto from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Every context has a key of its own, which is derived before it seals or opens anything. Answers with how to end it. */
export function noteContexts(file: string): () => void {
  const { hkdfSync } = crypto;
  crypto.hkdfSync = (digest, key, salt, info, length) => {
    appendFileSync(file, `${JSON.stringify(info)}\n`);
    return hkdfSync(digest, key, salt, info, length);
  };
  syncBuiltinESMExports();
  return () => {
    crypto.hkdfSync = hkdfSync;
    syncBuiltinESMExports();
  };
}

export const notedContexts = (file: string): string[] => [
  ...new Set(
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line): string => JSON.parse(line))
      .filter((info) => info.startsWith('seal/'))
      .map((info) => info.slice('seal/'.length)),
  ),
];

/** The environment of a process that notes them. */
export const notingContexts = (file: string) => ({
  NODE_OPTIONS: `--import ${fileURLToPath(import.meta.url)}`,
  NOTED_CONTEXTS: file,
});

if (process.env.NOTED_CONTEXTS) noteContexts(process.env.NOTED_CONTEXTS);
