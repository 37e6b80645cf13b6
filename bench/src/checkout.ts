import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A file of another checkout's benchmark, which knows that checkout's code and tables. Ours must keep its names. */
export const ofCheckout = <Exports>(checkout: string, file: string): Promise<Exports> =>
  import(pathToFileURL(join(checkout, 'bench/src', file)).href);
