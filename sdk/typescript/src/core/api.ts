// What the generated groups of methods stand on.
import type { Client } from './client.ts';

export type { CallOptions } from './client.ts';
export type { Pages } from './pages.ts';
export { at } from './paths.ts';

export class Api {
  protected readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }
}
