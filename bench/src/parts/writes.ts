// What single writes cost: each with its idempotency key, its event and what it owes the audit chain, on disk before the
// answer, in a transaction of its own or in one that others share.
import { fileURLToPath } from 'node:url';
import { type Account, accountsFor } from '../accounts.ts';
import type { Part } from '../part.ts';
import { requestText } from '../request-text.ts';
import { measureInTurns, type Scenario, wantedScenarios } from '../rounds.ts';
import { type Godwit, ownCheckout } from '../stage.ts';

const accountCount = 50;
const contactsPerAccount = 20;
// More at a time would wait for a connection, and measure the wait.
const connections = 16;

const bareServer = fileURLToPath(new URL('../bare-server.ts', import.meta.url));
const echo = 'bare echo (POST, judged)';

const authorization = {
  task: 'TEMPLATE_SUBMISSION',
  resourceRef: 'order_confirmation_v2',
  instruction: 'Please submit our order confirmation template for review.',
};
const consent = { purpose: 'MARKETING', source: 'FORM', status: 'OPTED_IN', evidence: { wording: 'Yes.' } };
const suppression = { reason: 'CUSTOMER_OPT_OUT', scope: 'MARKETING', source: 'support desk' };

export const writes: Part = {
  name: 'writes',
  description: 'single writes, each with its key, its event and its link in the audit chain',
  async run(context) {
    const { stage, against, say } = context;
    const bare = await stage.startScript(bareServer);
    const text = requestText('POST', '/echo', {}, JSON.stringify(authorization));
    const scenarios: Scenario[] = [{ name: echo, server: bare, next: () => text, expect: 200 }];
    for (const checkout of [ownCheckout, ...(against ? [against] : [])]) {
      const suffix = checkout === ownCheckout ? '' : ' [against]';
      say(`preparing accounts and contacts${suffix}`);
      scenarios.push(...(await rowsOf(await stage.startGodwit({ checkout }), suffix)));
    }
    return measureInTurns(context, wantedScenarios(context.only, scenarios));
  },
};

type Target = Account & { contactSids: string[] };

async function rowsOf(godwit: Godwit, suffix: string): Promise<Scenario[]> {
  const targets: Target[] = [];
  for (const account of await accountsFor(godwit, accountCount)) {
    const people = Array.from({ length: contactsPerAccount }, (_, person) =>
      makeContact(godwit, account, person),
    );
    targets.push({ ...account, contactSids: await Promise.all(people) });
  }
  const row = (
    name: string,
    method: string,
    path: string,
    expect: number,
    bodyFor: (turn: number) => object,
  ) => ({
    name: `${name}${suffix}`,
    server: godwit,
    next: requests(targets, method, path, bodyFor),
    expect,
    connections,
    comparedWith: echo,
  });
  return [
    row('create an authorization', 'POST', 'authorizations', 201, () => authorization),
    row('create a contact', 'POST', 'contacts', 201, (turn) => contactOf(1_000_000 + turn)),
    row('change a contact', 'PATCH', 'contacts/CONTACT', 200, (turn) => ({
      attributes: { plan: `p${turn}` },
    })),
    row('record a consent', 'POST', 'contacts/CONTACT/consents', 201, () => consent),
    row('suppress a contact', 'POST', 'contacts/CONTACT/suppressions', 201, (turn) => ({
      ...suppression,
      // In force already, it is only answered; one that ends later is a change.
      expiresAt: new Date(Date.now() + 86_400_000 + turn * 1_000).toISOString(),
    })),
  ];
}

const contactOf = (person: number) => ({
  identifiers: [{ identifierType: 'phone_e164', value: `+3361${String(person).padStart(7, '0')}` }],
});

let last = 0;

/** Each with a key of its own, accounts and contacts in turns. */
function requests(
  targets: Target[],
  method: string,
  path: string,
  bodyFor: (turn: number) => object,
): () => string {
  return () => {
    last += 1;
    const { sid, key, contactSids } = targets[last % targets.length]!;
    const contactSid = contactSids[Math.floor(last / targets.length) % contactSids.length]!;
    return requestText(
      method,
      `/v1/accounts/${sid}/${path.replace('CONTACT', contactSid)}`,
      { authorization: `Bearer ${key}`, 'idempotency-key': `bench-${last}` },
      JSON.stringify(bodyFor(last)),
    );
  };
}

async function makeContact({ url }: Godwit, { sid, key }: Account, person: number): Promise<string> {
  const answer = await fetch(`${url}/v1/accounts/${sid}/contacts`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': `contact-${person}`,
    },
    body: JSON.stringify(contactOf(person)),
  });
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`a contact could not be made: ${answer.status} ${text}`);
  return (JSON.parse(text) as { sid: string }).sid;
}
