// Sends of an account in which very many people who had said no were erased, beside sends of one in which nobody was: to people it
// knows, and to strangers, who may be one of them.
import { keepOptOut } from '../../../../server/src/modules/contacts/index.ts';
import type { Context, Row } from '../../part.ts';
import { measureInTurns } from '../../rounds.ts';
import { messageTo, type Outlet, posts, prepareOutlets } from '../send-data.ts';
import { openPlace, type Place } from './place.ts';

export const hashCount = Number(process.env.BENCH_OPT_OUTS ?? 1_000_000);

let strangers = 0;

/** Somebody else each time. */
function toStranger(outlet: Outlet, person: number) {
  strangers += 1;
  return { ...messageTo(outlet, person), to: `+3362${String(strangers).padStart(7, '0')}` };
}

export async function measureOptOuts(context: Context): Promise<Row[]> {
  const place = await openPlace(context);
  try {
    const [nobody, erased] = await prepareOutlets(place.godwit, 2);
    context.say(`${hashCount.toLocaleString('en')} opt-outs`);
    await forget(place, erased!.sid);
    const scenarios = [
      { whom: 'to people it knows', bodyFor: messageTo },
      { whom: 'to strangers', bodyFor: toStranger },
    ].flatMap(({ whom, bodyFor }) => {
      const one = (outlet: Outlet, name: string) => ({
        name,
        server: place.godwit,
        next: posts([outlet], 'messages', bodyFor),
        expect: 201,
      });
      const before = `sends ${whom}, nobody erased`;
      return [
        one(nobody!, before),
        { ...one(erased!, `sends ${whom}, beside opt-outs`), comparedWith: before, aim: 0.97 },
      ];
    });
    return await measureInTurns(context, scenarios);
  } finally {
    await place.close();
  }
}

/** The first one makes the account's key; the others are of nobody who is written to. */
async function forget({ client, write }: Place, accountSid: string): Promise<void> {
  const identifiers = [{ identifierType: 'phone_e164' as const, value: '+33639980000', scopeRef: null }];
  const suppressions = [
    {
      reason: 'CUSTOMER_OPT_OUT',
      scope: 'ALL' as const,
      senderSid: null,
      expiresAt: null,
      mirrorToProvider: false,
    },
  ];
  await write(accountSid, (t) =>
    keepOptOut(t, identifiers, { suppressions, consents: [], blockedSenderSids: [] }),
  );
  await client.query(
    `insert into erased_opt_outs (account_sid, livemode, hash, person, suppressions, consents, created_at)
     select $1, false, sha256(n::text::bytea), gen_random_uuid(), $3::json, '[]', now() from generate_series(1, $2::integer) n`,
    [accountSid, hashCount, JSON.stringify(suppressions)],
  );
  await client.query('analyze erased_opt_outs');
}
