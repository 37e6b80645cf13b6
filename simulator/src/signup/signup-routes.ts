// The pages of Embedded Signup and what their form does: it ends at the app's own address, with a code or with a refusal.
import type { FastifyInstance } from 'fastify';
import { goTo, showPage } from '../http/hosted-pages.ts';
import type { Simulation } from '../simulation.ts';
import { newWaba, type Waba } from '../world.ts';
import { newCode, tokenFor } from './codes.ts';
import * as pages from './signup-pages.ts';

type Fields = Record<string, string | undefined>;

/** A business that no sandbox has: whoever chooses its account chooses somebody else's. */
const stranger = { businessId: '209000000000009', wabaId: '109000000000009' };

export function addSignupRoutes(app: FastifyInstance, simulation: Simulation): void {
  app.get<{ Querystring: Fields }>('/dialog/oauth', (request, reply) => {
    const asked = read(simulation, request.query);
    if (typeof asked === 'string') return showPage(reply, 400, pages.wrongLinkPage(asked));
    const offered = offeredBy(simulation, asked.extras).map((waba) => shown(simulation, waba));
    return showPage(reply, 200, pages.signupPage(asked, offered, shown(simulation, strangers(simulation))));
  });

  app.post<{ Body: Fields }>('/dialog/oauth', (request, reply) => {
    const asked = read(simulation, request.body ?? {});
    if (typeof asked === 'string') return showPage(reply, 400, pages.wrongLinkPage(asked));
    const { answer, account } = request.body;
    if (answer === 'cancel') return goTo(reply, refusal(asked));
    const choices = [...offeredBy(simulation, asked.extras), strangers(simulation)];
    const chosen = choices.find(({ id }) => id === account);
    if (!chosen) return showPage(reply, 400, pages.wrongLinkPage('Choose one of the accounts.'));
    const code = newCode(simulation, tokenFor(simulation, chosen), asked.redirectUri);
    const url = backTo(asked, { code });
    return answer === 'later' ? showPage(reply, 200, pages.laterPage(url)) : goTo(reply, url);
  });
}

/** What the link asks for; a text says why it cannot. */
function read({ options }: Simulation, fields: Fields): pages.Asked | string {
  const { client_id: clientId = '', redirect_uri: redirectUri = '', state = '', extras = '{}' } = fields;
  if (clientId !== options.appId) return 'The app is not known.';
  if (!/^https?:\/\//.test(redirectUri) || !URL.canParse(redirectUri))
    return 'The redirect_uri is not an address.';
  return { clientId, redirectUri, state, extras };
}

/** The account that is asked for, then the others of its business. */
function offeredBy({ world }: Simulation, extras: string): Waba[] {
  const asked = world.wabas.get(accountIn(extras));
  if (!asked) return [];
  const others = [...world.wabas.values()].filter(
    ({ id, businessId }) => businessId === asked.businessId && id !== asked.id,
  );
  return [asked, ...others];
}

function accountIn(extras: string): string {
  try {
    return String(JSON.parse(extras)?.setup?.whatsAppBusinessAccount?.ids?.[0] ?? '');
  } catch {
    return ''; // a link that names no account offers none
  }
}

function strangers({ world }: Simulation): Waba {
  const { wabaId, businessId } = stranger;
  const known = world.wabas.get(wabaId);
  if (known) return known;
  const made = { ...newWaba(wabaId, businessId), name: 'Somebody else' };
  world.wabas.set(wabaId, made);
  world.changed();
  return made;
}

const shown = ({ world }: Simulation, { id, name }: Waba): pages.Offered => ({
  id,
  name,
  numbers: [...world.numbers.values()]
    .filter((number) => number.wabaId === id && number.status !== 'MIGRATED')
    .map(({ number }) => `+${number}`),
});

function backTo({ redirectUri, state }: pages.Asked, said: Record<string, string>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries({ ...said, state })) url.searchParams.set(name, value);
  return url.href;
}

const refusal = (asked: pages.Asked) =>
  backTo(asked, {
    error: 'access_denied',
    error_code: '200',
    error_reason: 'user_denied',
    error_description: 'Permissions error',
  });
