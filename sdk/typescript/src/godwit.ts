// The client: every operation of the API under its heading, and what is more than one operation.
import { Client, type ClientOptions } from './core/client.ts';
import { Events } from './events.ts';
import { Apis } from './generated/apis.ts';
import { Operations } from './operations.ts';
import { Webhooks } from './webhooks.ts';

/** `new Godwit({ key })`; the account is the key's own. */
export class Godwit extends Apis {
  /** For what has no method: an address, and the same credentials, keys and attempts. */
  readonly client: Client;
  override readonly events: Events;
  override readonly operations: Operations;
  override readonly webhooks: Webhooks;

  constructor(options: ClientOptions) {
    const client = new Client(options);
    super(client);
    this.client = client;
    this.events = new Events(client);
    this.operations = new Operations(client);
    this.webhooks = new Webhooks(client);
  }
}
