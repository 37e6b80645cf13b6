import { sql } from '../../platform/db/query.ts';
import { defineCron } from '../../platform/jobs/jobs.ts';

type Head = { accountSid: string; livemode: boolean; chain: string; sequence: string; hash: Buffer };

const batch = 1_000;

/**
 * Writes the head of every chain to the log, which leaves the machine. Whoever rewrites a chain in the database
 * afterwards contradicts a line they cannot reach.
 */
export const logChainHeads = defineCron({
  name: 'audit.log-chain-heads',
  schedule: '0 * * * *',
  async run({ database, log, signal }) {
    let last: Head | undefined;
    do {
      const heads = await database.system((s) =>
        s.many<Head>(sql`
          select account_sid as "accountSid", livemode, chain, sequence, hash from chain_heads
           where ${last === undefined}
              or (account_sid, livemode, chain)
                > (${last?.accountSid ?? ''}, ${last?.livemode ?? false}, ${last?.chain ?? ''})
           order by account_sid, livemode, chain limit ${batch}`),
      );
      for (const head of heads) log.info({ ...head, hash: head.hash.toString('hex') }, 'chain head');
      last = heads.length === batch ? heads.at(-1) : undefined;
    } while (last !== undefined && !signal.aborted);
  },
});
