// Runs of the contract suite as they are stored: evidence that is added to and never changed.
import type { SystemTx, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { canonicalJson, sha256Hex } from '../../../platform/hashing.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { Failure, Results } from './run-contract.ts';

export type ContractRun = {
  id: string;
  livemode: boolean;
  version: string;
  against: 'simulator' | 'provider';
  suiteCommit: string | null;
  suiteDigest: string;
  startedAt: string;
  finishedAt: string;
  passed: number;
  leftOut: number;
  failed: Failure[];
  digest: string;
};

const columns = sql`id, livemode, version, against, suite_commit as "suiteCommit", suite_digest as "suiteDigest",
  started_at as "startedAt", finished_at as "finishedAt", passed, left_out as "leftOut", failed, digest`;

export type NewRun = Results & {
  livemode: boolean;
  version: string;
  suiteCommit: string | null;
  suiteDigest: string;
  startedAt: Date;
  finishedAt: Date;
};

/** By which a row can be held against what was printed when it was made. */
export const digestOfRun = (run: Omit<ContractRun, 'digest'>): string => sha256Hex(canonicalJson(run));

export function storeRun(s: SystemTx, run: NewRun): Promise<ContractRun> {
  const { livemode, version, against, suiteCommit, suiteDigest, passed, leftOut, failed } = run;
  const row = {
    id: newUuid(run.finishedAt),
    livemode,
    version,
    against,
    suiteCommit,
    suiteDigest,
    startedAt: run.startedAt.toISOString(),
    finishedAt: run.finishedAt.toISOString(),
    passed,
    leftOut,
    failed,
  };
  return s.one<ContractRun>(sql`
    insert into provider_contract_runs (id, livemode, version, against, suite_commit, suite_digest, started_at,
      finished_at, passed, left_out, failed, digest)
    values (${row.id}, ${livemode}, ${version}, ${against}, ${suiteCommit}, ${suiteDigest}, ${row.startedAt},
      ${row.finishedAt}, ${passed}, ${leftOut}, ${JSON.stringify(failed)}::jsonb, ${digestOfRun(row)})
    returning ${columns}`);
}

/** The newest run of each version in each environment. */
export const newestRuns = (t: TenantTx | SystemTx): Promise<ContractRun[]> =>
  t.many<ContractRun>(sql`
    select distinct on (livemode, version) ${columns} from provider_contract_runs
     order by livemode, version, finished_at desc, id desc`);
