// The least that taking a payment webhook can cost: the same framework, the signature verified by the payment service's own package, and
// the same row inserted by one statement, on a disk that is waited for.
import fastify from 'fastify';
import pg from 'pg';
import Stripe from 'stripe';
import { announce } from '../bare.ts';

const secret = process.env.WEBHOOK_SECRET ?? '';
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });
await pool.query(`
  create table payment_callbacks (livemode boolean not null, event_id text not null, type text not null, object_id text not null,
    payment_id text, account_sid text, intent_id uuid, happened_at timestamptz not null, received_at timestamptz not null,
    listed boolean not null, state text not null, attempts integer not null default 0, due_at timestamptz not null,
    primary key (livemode, event_id));
  create index on payment_callbacks (due_at) where state = 'due'`);

const app = fastify();
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
app.post('/payments/callbacks/sandbox', async (request, reply) => {
  const header = String(request.headers['stripe-signature']);
  const event = Stripe.webhooks.constructEvent(request.body as Buffer, header, secret);
  const { id, metadata } = event.data.object as Stripe.PaymentIntent;
  await pool.query({
    name: 'store',
    text: `insert into payment_callbacks (livemode, event_id, type, object_id, payment_id, account_sid, intent_id, happened_at,
        received_at, listed, state, due_at)
      values ($1, $2, $3, $4, $4, $5, $6, $7, $8, false, 'due', '-infinity') on conflict (livemode, event_id) do nothing`,
    values: [
      event.livemode,
      event.id,
      event.type,
      id,
      metadata.godwit_account,
      metadata.godwit_intent,
      new Date(event.created * 1000),
      new Date(),
    ],
  });
  return reply.code(200).send('Stored.');
});
await announce(app);
