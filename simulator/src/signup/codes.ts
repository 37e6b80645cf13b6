// Codes and tokens: what a signup ends with, what the app makes of it, and what a token is worth.
import { GraphError } from '../errors.ts';
import { readSandboxToken, sandboxToken } from '../http/access-token.ts';
import { appToken } from '../http/http.ts';
import type { Simulation } from '../simulation.ts';
import type { Waba } from '../world.ts';

// A code of Embedded Signup lives half a minute and is used once.
const codeLifeMs = 30_000;

export function newCode(
  { random, signupCodes, timeline }: Simulation,
  token: string,
  redirectUri: string | null,
): string {
  const code = random.word(32);
  signupCodes.set(code, { token, madeMs: timeline.nowMs(), redirectUri });
  return code;
}

/** A token of the newest grant: it opens the account as it is now. */
export function tokenFor({ world }: Simulation, { id: wabaId, businessId, grant }: Waba): string {
  const phoneNumbers = [...world.numbers.values()]
    .filter((number) => number.wabaId === wabaId && number.status !== 'MIGRATED')
    .map(({ id, number, verifiedName: name }) => ({ id, number, name }));
  return sandboxToken({ businessId, wabaId, phoneNumbers, ...(grant > 0 && { grant }) });
}

/** The app itself needs no code. */
export function exchangeCode(
  simulation: Simulation,
  { client_id, client_secret, code = '', grant_type, redirect_uri }: Record<string, string>,
) {
  const { options, signupCodes, timeline } = simulation;
  if (client_id !== options.appId || client_secret !== options.appSecret)
    throw new GraphError(100, 'Error validating client secret.', { http: 400 });
  if (grant_type === 'client_credentials')
    return { access_token: appToken(simulation), token_type: 'bearer' };
  const known = signupCodes.get(code);
  if (known && known.redirectUri !== null && known.redirectUri !== redirect_uri)
    throw new GraphError(100, 'Error validating verification code. The redirect_uri is not the same.', {
      subcode: 36008,
    });
  signupCodes.delete(code);
  if (!known || timeline.nowMs() > known.madeMs + codeLifeMs)
    throw new GraphError(100, 'This authorization code has expired or was used.', {
      subcode: known ? 36007 : 36009,
    });
  return { access_token: known.token, token_type: 'bearer' };
}

export function debugToken({ options, world }: Simulation, token: string) {
  const portfolio = readSandboxToken(token);
  const revoked = portfolio && (portfolio.grant ?? 0) < (world.wabas.get(portfolio.wabaId)?.grant ?? 0);
  if (!portfolio || revoked) {
    const subcode = revoked ? 460 : 467;
    return {
      data: {
        is_valid: false,
        scopes: [],
        error: { code: 190, message: 'Invalid OAuth access token.', subcode },
      },
    };
  }
  const scopes = ['whatsapp_business_management', 'whatsapp_business_messaging'];
  return {
    data: {
      app_id: options.appId,
      type: 'SYSTEM_USER',
      is_valid: true,
      expires_at: 0,
      scopes,
      granular_scopes: scopes.map((scope) => ({ scope, target_ids: [portfolio.wabaId] })),
    },
  };
}
