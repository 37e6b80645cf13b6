// Files of our own that a test runs as processes: what others have compiled they need not compile again.
import { fileURLToPath } from 'node:url';

const compileCache = new URL('./compile-cache.ts', import.meta.url).href;

/** What Node is given to run it. */
export const programIn = (file: URL): string[] => ['--import', compileCache, fileURLToPath(file)];
