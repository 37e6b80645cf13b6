// What contacts need of the modules above them. Those implement it, `main/modules.ts` connects it.
import type { TenantTx } from '../../platform/db/database.ts';
import type { ConsentSummary } from './schema.ts';

export type MergedPair = {
  mergeId: string;
  survivorSid: string;
  mergedSid: string;
  /** The merged contact and those merged into it before: all it answered for. */
  mergedIdentities: string[];
};

/**
 * Something that belongs to contacts and moves when they are merged. `move` runs in the transaction of the merge, with
 * both contacts locked; what it returns as snapshot is handed to `moveBack`. References are what people see.
 */
export type MergeFollower<Snapshot = unknown> = {
  /** The name it goes by in the merge's answer, such as `suppressions`. */
  name: string;
  move(t: TenantTx, merge: MergedPair): Promise<{ moved: string[]; snapshot: Snapshot }>;
  /** Gives back exactly what moved; what the survivor gained since stays, and is told. */
  moveBack(
    t: TenantTx,
    merge: MergedPair,
    snapshot: Snapshot,
  ): Promise<{ movedBack: string[]; stayed: string[] }>;
};

export type ContactHooks = {
  /** Two contacts are one person from now on: for what must come before anything of them moves. */
  merging(t: TenantTx, survivorSid: string): Promise<void>;
  followers: MergeFollower[];
  /** The consents that hold now, for the contacts that have any. */
  consentsOf(t: TenantTx, contactSids: string[]): Promise<Map<string, ConsentSummary>>;
};

export const followMerges = <S>(follower: MergeFollower<S>) => follower as MergeFollower;
