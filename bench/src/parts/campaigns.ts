// What campaigns cost: admitting their recipients beside the same messages by `messages/batch`, the memory it takes, and previewing them.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Context, emptyRow, measureEach, type Part, type Row } from '../part.ts';
import { residentMb } from '../usage.ts';
import { generateContacts, sidOf } from './contacts-data.ts';
import { inBatch } from './send-data.ts';
import { type Account, measured, openPlace, type Place, type Round } from './workflows/place.ts';

const recipients = Number(process.env.BENCH_CAMPAIGN ?? 10_000);
const previewed = Number(process.env.BENCH_PREVIEW ?? 50_000);

const message = { type: 'template', template: { name: 'hello_world', language: 'en' } };
/** Of the people in `contacts-data.ts` every twentieth is suppressed. */
const admissible = (people: number) => people - Math.ceil(people / 20);

const measures: Record<string, (context: Context) => Promise<Row[]>> = {
  admission: measureAdmission,
  preview: measurePreview,
};

export const campaigns: Part = {
  name: 'campaigns',
  description: `recipients admitted and previewed (--only ${Object.keys(measures).join(', ')}; BENCH_CAMPAIGN, BENCH_PREVIEW)`,
  run: (context) => measureEach(context, measures),
};

/** A service whose accounts know so many people each, and a segment of them all. */
async function openCrowd(context: Context, accounts: number, people: number) {
  const place = await openPlace(context, { accounts, people: 0 });
  context.say(`${(accounts * people).toLocaleString('en')} contacts`);
  const sizes = place.accounts.map(({ accountSid }) => ({ sid: accountSid, size: people }));
  await generateContacts(place.godwit.databaseUrl, sizes);
  const drafts: string[] = [];
  for (const account of place.accounts) {
    const { sid: segmentSid } = await place.post(account, 'segments', { kind: 'DYNAMIC', name: 'All' });
    const draft = { name: 'Bench', audience: { segmentSid }, message, from: account.senderSid };
    drafts.push((await place.post(account, 'campaigns', draft)).sid);
  }
  return { place, drafts };
}

const row = (
  name: string,
  { perSecond, serverMicros, databaseMicros, missing }: Round,
  more: Partial<Row> = {},
): Row => ({
  ...emptyRow,
  name,
  perSecond,
  serverMicros,
  databaseMicros,
  errors: missing,
  firstError: missing === 0 ? null : `${missing} are missing`,
  ...more,
});

async function measureAdmission(context: Context): Promise<Row[]> {
  const { place, drafts } = await openCrowd(context, 2, recipients);
  try {
    const at = { stage: context.stage, url: place.godwit.url };
    const [batching, campaigning] = place.accounts as [Account, Account];
    const batch = await measured(at, admissible(recipients), () => sendBatches(place, batching));
    const memory = watchMemory(place.godwit.pid);
    const campaign = await measured(at, admissible(recipients), () => launch(place, campaigning, drafts[1]!));
    const mostMb = memory.stop();
    return [
      row('the same by messages/batch', batch),
      row(`campaign of ${recipients.toLocaleString('en')}`, campaign, {
        ratio: campaign.perSecond / batch.perSecond,
        aim: 0.8,
        serverRssMb: mostMb,
      }),
    ];
  } finally {
    await place.close();
  }
}

/** One after the other, as a campaign takes its turns. */
async function sendBatches(place: Place, account: Account): Promise<number> {
  let sent = 0;
  for (let from = 0; from < recipients; from += inBatch) {
    const messages = Array.from({ length: Math.min(inBatch, recipients - from) }, (_, n) => ({
      ...message,
      from: account.senderSid,
      contactSid: sidOf(from + n),
    }));
    sent += (await place.post(account, 'messages/batch', { messages })).accepted;
  }
  return sent;
}

async function launch(place: Place, account: Account, campaignSid: string): Promise<number> {
  await place.post(account, `campaigns/${campaignSid}/launch`);
  const admitted = 'from campaign_recipients where account_sid = $1 and state = $2';
  for (;;) {
    const { rows } = await place.client.query<{ state: string }>(
      'select state from campaigns where sid = $1',
      [campaignSid],
    );
    const { state } = rows[0]!;
    if (state !== 'SCHEDULED' && state !== 'RUNNING')
      return place.count(admitted, account.accountSid, 'ADMITTED');
    await sleep(20);
  }
}

async function measurePreview(context: Context): Promise<Row[]> {
  const { place, drafts } = await openCrowd(context, 1, previewed);
  try {
    const [account] = place.accounts as [Account];
    const at = { stage: context.stage, url: place.godwit.url };
    const memory = watchMemory(place.godwit.pid);
    const round = await measured(at, previewed, () => preview(place, account, drafts[0]!));
    const serverRssMb = memory.stop();
    const name = `preview of ${previewed.toLocaleString('en')}`;
    return [row(name, round, { serverRssMb, leastPerSecond: 50_000 })];
  } finally {
    await place.close();
  }
}

async function preview(place: Place, account: Account, campaignSid: string): Promise<number> {
  const answer = await place.post(account, `campaigns/${campaignSid}/preview`);
  if (answer.object === 'campaign_preview') return answer.recipients;
  for (;;) {
    const { rows } = await place.client.query<{ state: string; result: { recipients: number } | null }>(
      'select state, result from operations where sid = $1',
      [answer.sid],
    );
    const { state, result } = rows[0]!;
    if (state === 'SUCCEEDED') return result!.recipients;
    if (state === 'FAILED') throw new Error('the preview failed');
    await sleep(20);
  }
}

/** The most memory a process has while it is watched. */
function watchMemory(pid: number) {
  let most = 0;
  const timer = setInterval(async () => {
    most = Math.max(most, (await residentMb(pid)) ?? 0);
  }, 100);
  return {
    stop() {
      clearInterval(timer);
      return Math.round(most);
    },
  };
}
