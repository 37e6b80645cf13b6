// The provider's adapter with its answers looked at: which version served a call, and whether it was the simulator.
import { randomUUID } from 'node:crypto';
import type { Connection } from '../../modules/provider/index.ts';
import type { AnsweredBy, ByHand, Probe } from '../../modules/provider-versions/index.ts';
import { createProvider } from './provider.ts';
import { createTransport, type Transport } from './transport.ts';

export function openProbe(): Probe {
  let answers: AnsweredBy[] = [];
  const hands = createTransport();
  const provider = createProvider((headers, { pathname }) => {
    answers.push({
      // Links to files name no version, and whatever serves them is none of what was asked for.
      version: versioned.test(pathname) ? textOf(headers['facebook-api-version']) : null,
      // The simulator says so itself, whoever stands before it.
      simulated: textOf(headers['x-simulated-by']) !== null,
    });
  });
  return {
    provider,
    byHand: byHandWith(postBy(hands)),
    takeAnswers() {
      const taken = answers;
      answers = [];
      return taken;
    },
    close: async () => void (await Promise.all([provider.close(), hands.close()])),
  };
}

type Post = (connection: Connection, path: string, body: object) => Promise<unknown>;

const postBy =
  (transport: Transport): Post =>
  async ({ baseUrl, accessToken }, path, body) => {
    const result = await transport.request({
      method: 'POST',
      url: new URL(`${baseUrl}/${path}`),
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      timeoutMs: 20_000,
      maxAnswerBytes: 100_000,
    });
    if (result.kind !== 'answer' || result.status !== 200) throw new Error(`${path} came to nothing`);
    return JSON.parse(result.body.toString('utf8'));
  };

const byHandWith = (post: Post): ByHand => ({
  async signUp(connection) {
    const made = await post(connection, '_control/signup-codes', { token: connection.accessToken });
    return (made as { code: string }).code;
  },
  async publishFlow(connection, wabaId) {
    const flow = { name: randomUUID(), categories: ['OTHER'], publish: true };
    const made = await post(connection, `${connection.apiVersion}/${wabaId}/flows`, flow);
    return (made as { id: string }).id;
  },
});

const versioned = /^\/v\d+\.\d+\//;

const textOf = (header: string | string[] | undefined): string | null =>
  typeof header === 'string' && header !== '' ? header : null;
