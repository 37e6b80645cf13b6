// What the hosted form costs: its page beside a bare route that serves the same bytes, and a crowd that submits the same at once.
import { fileURLToPath } from 'node:url';
import { type Account, accountsFor } from '../accounts.ts';
import { emptyRow, type Part, type Row } from '../part.ts';
import { requestText } from '../request-text.ts';
import { measureInTurns, type Scenario, wantedScenarios } from '../rounds.ts';
import type { Godwit } from '../stage.ts';

const bareServer = fileURLToPath(new URL('../bare-server.ts', import.meta.url));
const leastPageRatio = 0.6;
const crowd = 1_000;
const crowdName = `${crowd} identical submissions at once`;
const asBrowser = { accept: 'text/html', 'accept-language': 'en' };

export const optIn: Part = {
  name: 'opt-in',
  description:
    'the hosted form: its page beside a bare route with the same bytes, and many submissions at once',
  async run(context) {
    const { stage, say, only } = context;
    say('preparing a link');
    // Visitors come from addresses of their own: each may only open so many pages a second.
    const godwit = await stage.startGodwit({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
    const [account] = await accountsFor(godwit, 1);
    const path = await newLink(godwit, account!);
    const page = await (await fetch(godwit.url + path, { headers: asBrowser })).text();
    const bare = await stage.startScript(bareServer, { ANSWER: page });
    const bareName = 'bare page (GET, the same bytes)';
    const scenarios: Scenario[] = [
      { name: bareName, server: bare, next: visits('/fixed'), expect: 200 },
      {
        name: 'form page',
        server: godwit,
        next: visits(path),
        expect: 200,
        comparedWith: bareName,
        aim: leastPageRatio,
      },
    ];
    const rows = await measureInTurns(context, wantedScenarios(only, scenarios));
    if (only.length > 0 && !only.some((word) => crowdName.includes(word))) return rows;
    say(crowdName);
    return [...rows, await submitTogether(godwit, account!, path)];
  },
};

let visitors = 0;
const newAddress = () => {
  visitors += 1;
  return `10.${(visitors >> 16) & 255}.${(visitors >> 8) & 255}.${visitors & 255}`;
};

function visits(path: string): () => string {
  const mark = 'ADDRESS';
  const [head, tail] = requestText('GET', path, { ...asBrowser, 'x-forwarded-for': mark }).split(mark);
  return () => `${head}${newAddress()}${tail}`;
}

const headersOf = ({ key }: Account) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
});

async function newLink({ url }: Godwit, account: Account): Promise<string> {
  const body = JSON.stringify({ consentText: 'Yes, write to me about offers on WhatsApp.', label: 'bench' });
  const answer = await fetch(`${url}/v1/accounts/${account.sid}/opt-in-links`, {
    method: 'POST',
    headers: headersOf(account),
    body,
  });
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`no link: ${answer.status} ${text}`);
  return `/v1/opt-in/${JSON.parse(text).token}`;
}

/** All at once: one contact and one record, and nobody meets an error of ours. */
async function submitTogether(godwit: Godwit, account: Account, path: string): Promise<Row> {
  const phone = '+33612345678';
  const startedAt = performance.now();
  const answers = await Promise.all(
    Array.from({ length: crowd }, async () => {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': newAddress() };
      const body = JSON.stringify({ phone, agreed: true });
      const answer = await fetch(godwit.url + path, { method: 'POST', headers, body });
      return { status: answer.status, text: await answer.text() };
    }),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  const at = `${godwit.url}/v1/accounts/${account.sid}/contacts`;
  const read = async (url: string) => {
    const answer = await fetch(url, { headers: headersOf(account) });
    return ((await answer.json()) as { data: { sid: string }[] }).data;
  };
  const contacts = await read(`${at}?identifier=${encodeURIComponent(phone)}`);
  const consents = contacts[0] ? await read(`${at}/${contacts[0].sid}/consents`) : [];
  const failed = answers.filter(({ status }) => status >= 500);
  const accepted = answers.some(({ status }) => status === 200);
  const isRight = contacts.length === 1 && consents.length === 1 && accepted;
  return {
    ...emptyRow,
    name: crowdName,
    perSecond: crowd / seconds,
    errors: failed.length + (isRight ? 0 : 1),
    firstError: failed[0]?.text ?? `${contacts.length} contacts, ${consents.length} records`,
  };
}
