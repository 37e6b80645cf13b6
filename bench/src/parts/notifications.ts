// What it costs to look at one's notifications where there are many, beside the same statement in a handler written by hand.
import { fileURLToPath } from 'node:url';
import { cookieName } from '../../../server/src/modules/identity/sessions/session-token.ts';
import type { Context, Part, Row } from '../part.ts';
import { requestText } from '../request-text.ts';
import { measureInTurns, type Scenario, wantedScenarios } from '../rounds.ts';
import { incidentPeople, measureIncident } from './incident.ts';
import { notifications as count, people, prepareFeeds } from './notifications-data.ts';

const minimumServer = fileURLToPath(new URL('../minimum/feed-server.ts', import.meta.url));
const byHand = 'feed, by hand';

export const notifications: Part = {
  name: 'notifications',
  description: `${count.toLocaleString('en')} notifications and ${people.toLocaleString('en')} people: the first page of each, beside the same by hand; and an incident mailed to ${incidentPeople.toLocaleString('en')} people`,
  async run(context) {
    const { only, stage } = context;
    const isWanted = (name: string) => only.length === 0 || only.some((word) => name.includes(word));
    const rows = isWanted('feed, unread only') ? await measureFeeds(context) : [];
    if (!isWanted('incident')) return rows;
    await stage.clear();
    return [...rows, await measureIncident(context)];
  },
};

async function measureFeeds(context: Context): Promise<Row[]> {
  const { stage, say, only } = context;
  say('preparing people and notifications');
  const godwit = await stage.startGodwit();
  const { accountSid, tokens } = await prepareFeeds(godwit);
  const minimum = await stage.startScript(minimumServer, { DATABASE_URL: godwit.databaseUrl });
  const scenarios: Scenario[] = [
    { name: byHand, server: minimum, next: lists(accountSid, tokens), expect: 200 },
    {
      name: 'feed',
      server: godwit,
      next: lists(accountSid, tokens),
      expect: 200,
      comparedWith: byHand,
      minimum: byHand,
      aim: 0.6,
    },
    {
      name: 'feed, unread only',
      server: godwit,
      next: lists(accountSid, tokens, '?unread=true'),
      expect: 200,
      comparedWith: byHand,
    },
  ];
  return measureInTurns(context, wantedScenarios(only, scenarios));
}

/** Everybody in turn. */
function lists(accountSid: string, tokens: string[], query = ''): () => string {
  const texts = tokens.map((token) =>
    requestText('GET', `/v1/accounts/${accountSid}/notifications${query}`, {
      cookie: `${cookieName('sandbox')}=${token}`,
    }),
  );
  let at = 0;
  return () => {
    at = (at + 1) % texts.length;
    return texts[at]!;
  };
}
