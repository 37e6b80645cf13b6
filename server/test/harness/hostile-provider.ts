// An OpenID provider that does what a test tells it to, honest or not.
import { createHmac, createSign, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Lifetime } from './lifetime.ts';

type Claims = Record<string, unknown>;
type Asked = { nonce: string; clientId: string };

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

export function signRs256(
  key: KeyObject,
  payload: Claims,
  header: Claims = { alg: 'RS256', kid: 'one' },
): string {
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${createSign('RSA-SHA256').update(text).sign(key).toString('base64url')}`;
}

export const unsigned = (payload: Claims): string => `${encode({ alg: 'none' })}.${encode(payload)}.`;

export function signHs256(secret: string, payload: Claims): string {
  const text = `${encode({ alg: 'HS256' })}.${encode(payload)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

export async function startHostileProvider(lifetime: Lifetime, now: () => Date) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const codes = new Map<string, Asked>();
  const seconds = () => Math.floor(now().getTime() / 1000);
  const calls = { token: 0 };
  const server = createServer((request, response) => {
    const url = new URL(request.url!, issuer());
    const send = (body: unknown) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    if (url.pathname === '/.well-known/openid-configuration')
      return send({ ...metadata(), ...provider.metadata });
    if (url.pathname === '/jwks')
      return send({
        keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }],
      });
    if (url.pathname === '/userinfo') return send({ sub: 'alice', ...provider.userInfo });
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      calls.token += 1;
      const form = new URLSearchParams(body);
      const asked = codes.get(form.get('code') ?? '');
      if (!asked) {
        response.statusCode = 400;
        return send({ error: 'invalid_grant' });
      }
      send({ access_token: 'at', token_type: 'Bearer', id_token: provider.idToken(honestClaims(asked)) });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  lifetime.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const metadata = () => ({
    issuer: issuer(),
    authorization_endpoint: `${issuer()}/authorize`,
    token_endpoint: `${issuer()}/token`,
    jwks_uri: `${issuer()}/jwks`,
    userinfo_endpoint: `${issuer()}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
  });
  const honestClaims = ({ nonce, clientId }: Asked): Claims => ({
    iss: issuer(),
    sub: 'alice',
    aud: clientId,
    nonce,
    iat: seconds(),
    exp: seconds() + 300,
    email: 'alice@example.com',
    email_verified: true,
    name: 'Alice',
    ...provider.claims,
  });
  const honestToken = (claims: Claims) => signRs256(privateKey, claims);
  const provider = {
    get issuer() {
      return issuer();
    },
    calls,
    stranger,
    seconds,
    /** What it says of itself, of the person, and how it makes tokens; a test changes what it needs. */
    metadata: {} as Claims,
    userInfo: {} as Claims,
    claims: {} as Claims,
    idToken: honestToken,
    honestToken,
    reset() {
      Object.assign(provider, { metadata: {}, userInfo: {}, claims: {}, idToken: honestToken });
      calls.token = 0;
    },
    /** The query an honest authorization endpoint would send the browser back with. */
    authorize(location: string): {
      redirectUri: string;
      answer: Record<string, string>;
      asked: URLSearchParams;
    } {
      const asked = new URL(location).searchParams;
      const code = randomUUID();
      codes.set(code, { nonce: asked.get('nonce')!, clientId: asked.get('client_id')! });
      return { redirectUri: asked.get('redirect_uri')!, answer: { code, state: asked.get('state')! }, asked };
    },
  };
  return provider;
}
