import type pg from 'pg';

/**
 * A connection that is lost between two statements says so by an event, which unheard would end the process. It is heard
 * from the moment the connection stands: a server that is stopping may greet and dismiss it in one packet, before
 * whoever asked for it holds it. Whoever uses the connection learns of the loss from the next statement.
 */
export function outliveLoss(pool: pg.Pool): void {
  pool.on('connect', (client) => client.on('error', () => {}));
}
