import pg from 'pg';

export type Connection = pg.Client;

/** A single connection with the rights of the URL's own user: for migrations, examinations and locks. */
export async function connect(
  url: string,
  options: { settings?: string; timeoutMs?: number } = {},
): Promise<Connection> {
  const client = new pg.Client({
    connectionString: url,
    ...(options.settings && { options: options.settings }),
    ...(options.timeoutMs && { connectionTimeoutMillis: options.timeoutMs }),
  });
  client.on('error', () => {}); // whoever uses the connection learns of its loss there
  await client.connect();
  return client;
}
