// What choosing from pools has added to the loads of their members, before any of it is stored.
import type { OpenPool } from '../../senders/index.ts';
import { type Case, isUnusable } from '../gates/case.ts';
import { poolSidOf } from './choose-from-pools.ts';

export class PoolLoads {
  private readonly added = new Map<string, number>();
  private pools: ReadonlyMap<string, OpenPool> = new Map();

  /** Pools that were just opened carry what was chosen from them before. */
  applyTo(pools: ReadonlyMap<string, OpenPool>): void {
    this.pools = pools;
    for (const pool of pools.values()) {
      for (const member of pool.members)
        member.assigned += this.added.get(keyOf(pool, member.senderSid)) ?? 0;
    }
  }

  /** Whoever is written to is remembered by the pool; whoever is refused is not. */
  take({ draft, recipient, sender }: Case): void {
    const pool = this.pools.get(poolSidOf(draft) ?? '');
    if (!pool || isUnusable(recipient) || isUnusable(sender) || recipient.contactSid === null) return;
    const former = pool.former.get(recipient.contactSid);
    if (former === undefined) return;
    pool.former.delete(recipient.contactSid);
    this.add(keyOf(pool, sender.sid), 1);
    if (former !== null) this.add(keyOf(pool, former), -1);
  }

  private add(key: string, by: number): void {
    this.added.set(key, (this.added.get(key) ?? 0) + by);
  }
}

const keyOf = ({ sid }: OpenPool, senderSid: string) => `${sid} ${senderSid}`;
