import { sha256 } from '../hashing.ts';
import { connect } from './connect.ts';

/** Takes a lock that one process at a time can hold, for as long as it lives. Null when another holds it. */
export async function holdLock(url: string, name: string): Promise<(() => Promise<void>) | null> {
  const client = await connect(url);
  const number = sha256(`lock:${name}`).readBigInt64BE(0).toString();
  const { rows } = await client.query<{ taken: boolean }>(
    'select pg_try_advisory_lock($1::bigint) as taken',
    [number],
  );
  if (rows[0]?.taken) return () => client.end();
  await client.end();
  return null;
}
