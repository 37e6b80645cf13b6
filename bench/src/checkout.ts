import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * A file of a checkout's own benchmark, which knows that checkout's code and tables. Older checkouts are asked for the same
 * files and names, so these stay.
 */
export const ofCheckout = <Exports>(checkout: string, file: string): Promise<Exports> =>
  import(pathToFileURL(join(checkout, 'bench/src', file)).href);
