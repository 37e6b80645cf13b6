// What is written to PostgreSQL's write-ahead log, told exactly: its own statistics lag behind by seconds.
import pg from 'pg';

export type Wal = {
  /** Where the log ends now. */
  end(): Promise<string>;
  /** What was written since, by everybody; images of whole pages are left out. */
  since(position: string): Promise<{ bytes: number; records: number }>;
  close(): Promise<void>;
};

export async function openWal(url: string): Promise<Wal> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('create extension if not exists pg_walinspect');
  return {
    async end() {
      const { rows } = await client.query<{ end: string }>('select pg_current_wal_flush_lsn() as end');
      return rows[0]!.end;
    },
    async since(position) {
      // A stretch without a single record is refused.
      await client.query("select pg_logical_emit_message(true, 'bench', '')");
      const { rows } = await client.query<{ bytes: number; records: number }>(
        `select coalesce(sum(record_size), 0)::float8 as bytes, coalesce(sum(count), 0)::float8 as records
           from pg_get_wal_stats($1::pg_lsn, greatest(pg_current_wal_flush_lsn(), $1::pg_lsn), true)`,
        [position],
      );
      return rows[0]!;
    },
    close: () => client.end(),
  };
}
