// A million contacts, made inside the database in a minute or two and gone with it.
import pg from 'pg';

/** The n-th contact's SID: it sorts by n. */
export const sidOf = (n: number) => `CT01${String(n).padStart(24, '0')}`;

const sidSql = (prefix: string) => `'${prefix}01' || lpad(n::text, 24, '0')`;

export async function generateContacts(
  url: string,
  accounts: { sid: string; size: number }[],
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // References are right by construction, and an index is built faster at once than row by row.
  await client.query("set session_replication_role = replica; set maintenance_work_mem = '512MB'");
  const { rows } = await client.query("select pg_get_indexdef('contacts_by_search'::regclass) as definition");
  await client.query('drop index contacts_by_search');
  for (const { sid, size } of accounts) await fill(client, sid, size);
  await client.query(rows[0].definition);
  await client.query('vacuum analyze');
  await client.end();
}

async function fill(client: pg.Client, account: string, size: number): Promise<void> {
  const run = (text: string) =>
    client.query(text.replaceAll(':account', `'${account}'`).replaceAll(':size', String(size)));
  const each = 'from generate_series(0, :size - 1) n';
  const name = `(array['Inès','Jules','Emma','Louis','Chloé'])[1 + n % 5] || ' Martin ' || n`;
  const phone = `'+3361' || lpad(n::text, 7, '0')`;
  await run(`
    insert into contacts (account_sid, livemode, sid, display_name, locale, timezone, attributes, search, created_at, updated_at)
    select :account, false, ${sidSql('CT')}, ${name}, (array['fr','en','de','es'])[1 + n % 4], 'Europe/Paris',
      jsonb_build_object('plan', (array['gold','silver','free'])[1 + n % 3], 'visits', n % 50),
      lower(' ' || ${name} || ' ' || ${phone}), now(), now() ${each}`);
  await run(`
    insert into contact_identifiers (account_sid, livemode, id, contact_sid, identifier_type, value, created_at)
    select :account, false, gen_random_uuid(), ${sidSql('CT')}, 'phone_e164', ${phone}, now() ${each}`);
  await run(`
    insert into consents (account_sid, livemode, sequence, sid, contact_sid, purpose, status, created_at, payload, previous_hash, hash)
    select :account, false, n + 1, ${sidSql('CV')}, ${sidSql('CT')}, 'MARKETING',
      case when n % 10 < 7 then 'OPTED_IN' else 'OPTED_OUT' end, now(), '{}', '', '' ${each}`);
  await run(`
    insert into consent_states (account_sid, livemode, contact_sid, purpose, consent_sid, sequence, status, recorded_at)
    select account_sid, livemode, contact_sid, purpose, sid, sequence, status, created_at from consents
     where account_sid = :account`);
  await run(`
    insert into suppressions (account_sid, livemode, sid, contact_sid, reason, scope, source, mirror_to_provider, created_by,
      created_at, updated_at)
    select :account, false, ${sidSql('SU')}, ${sidSql('CT')}, 'COMPLAINT', 'ALL', 'bench', false, 'bench', now(), now()
      ${each} where n % 20 = 0`);
}
