// People with something in many stores, and copies of them asked for as a compliance officer would.
import assert from 'node:assert/strict';
import { bearer, type TestApp } from '../../../../test/harness/app.ts';
import { privacyOf } from '../../../../test/harness/privacy.ts';
import { until } from '../../../../test/harness/until.ts';
import { newSid } from '../../../platform/ids.ts';
import { readZip, type ZippedFile } from '../../../platform/zip/read-zip.test-data.ts';
import { insertSender } from '../../senders/fixtures.ts';

export type Copies = ReturnType<typeof copiesOf>;

export function copiesOf(app: TestApp) {
  const privacy = privacyOf(app);
  const requests = privacy.all;
  const ask = (kind: string, contactSid: string) => privacy.asked(kind, { contactSid });
  const download = (sid: string, headers: object = bearer(app.sandboxKey)) =>
    fetch(`${app.url}${requests}/${sid}/export`, { headers: headers as Record<string, string> });
  return {
    requests,
    ask,
    /** Asked for and made, by whoever works on it. */
    async made(kind: string, contactSid: string) {
      const { sid } = await ask(kind, contactSid);
      return until(`${sid} is made`, async () => {
        const { body } = await app.get(`${requests}/${sid}`);
        return body.state === 'COMPLETED' ? body : null;
      });
    },
    download,
    /** The files of a copy, each by its name. */
    async fetched(sid: string) {
      const answer = await download(sid);
      assert.equal(answer.status, 200, await answer.clone().text());
      return contents(readZip(Buffer.from(await answer.arrayBuffer())));
    },
  };
}

function contents(files: ZippedFile[]) {
  const byName = new Map(files.map(({ name, bytes }) => [name, bytes]));
  return {
    names: [...byName.keys()],
    bytes: (name: string) => byName.get(name)!,
    text: (name: string) => byName.get(name)?.toString() ?? '',
    // biome-ignore lint/suspicious/noExplicitAny: the test itself checks the shape
    json: (name: string): any => JSON.parse(byName.get(name)!.toString()),
    whole: files.map(({ bytes }) => bytes.toString()).join('\n'),
  };
}

type Said = { contactSid: string; direction: 'inbound' | 'outbound'; body: string; count?: number };

/** Messages of a contact, so many of them with a number behind what they say. */
export async function say(app: TestApp, { contactSid, direction, body, count = 1 }: Said): Promise<string[]> {
  const senderSid = await insertSender(app, { accountSid: app.accountSid, livemode: false });
  const sids = Array.from({ length: count }, () => newSid('SM', app.clock.now()));
  const values = [app.accountSid, sids, direction, senderSid, contactSid, body, app.clock.now()];
  await app.sql(
    `with item as (select * from unnest($2::text[]) with ordinality as item (sid, n)),
     stored as (
       insert into messages (account_sid, livemode, sid, direction, type, sender_sid, contact_sid, identifier_type, address, content, extras,
         created_by, created_at)
       select $1, false, sid, $3, 'text', $4, $5, 'phone_e164', '+33612345678', json_build_object('body', $6 || ' ' || n), '{}', 'test', $7
         from item)
     insert into message_states (account_sid, livemode, sid, sender_sid, status, rank, waiting, updated_at)
     select $1, false, sid, $4, case $3 when 'inbound' then 'received' else 'read' end, 40, false, $7 from item`,
    values,
  );
  return sids;
}
