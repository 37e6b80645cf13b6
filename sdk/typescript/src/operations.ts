// What takes longer than a request, waited for.
import { OperationsApi } from './generated/apis.ts';
import type { Operation } from './generated/models.ts';

export type WaitOptions = {
  /** How long to wait between two looks; one second unless given. */
  everyMs?: number;
  signal?: AbortSignal;
};

export class Operations extends OperationsApi {
  /** The operation once it has ended, however it did: `state` tells, and `error` why. */
  async waitFor(operationSid: string, { everyMs = 1_000, signal }: WaitOptions = {}): Promise<Operation> {
    for (;;) {
      const operation = await this.get(operationSid, { signal });
      if (operation.finishedAt !== null) return operation;
      await this.client.wait(everyMs, signal);
    }
  }
}
