// How a caller shows who they are, as the document says it.
import type { Operation } from '../operations/operation.ts';
import type { Json } from './components.ts';

const header = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description });

/** A signed request carries all four. docs/request-signing.md shows the same with an example. */
const signing = {
  serviceKey: header('X-Service-Key', 'The `keyId` of the API key whose `signingSecret` signs the request.'),
  serviceTimestamp: header('X-Service-Timestamp', 'Now, in whole Unix seconds; at most 5 minutes off.'),
  serviceNonce: header(
    'X-Service-Nonce',
    '16 to 128 letters, digits, `_` or `-`, never used before: a second time is SIGNATURE_REPLAYED.',
  ),
  serviceSignature: header(
    'X-Service-Signature',
    '`v1=` and, in lower-case hexadecimal, the HMAC-SHA256 under the `signingSecret` of these seven lines, joined by a line ' +
      'feed, with none at the end: `v1`; the method in capitals; the path; the query; the timestamp; the nonce; the SHA-256 of ' +
      'the body exactly as it is sent, in lower-case hexadecimal (of nothing, where there is no body). In the path each ' +
      'segment is percent-encoded as RFC 3986 says: every byte of UTF-8 but letters, digits, `-`, `.`, `_` and `~`, in ' +
      'capitals. In the query each name and value is encoded like that, written `name=value`, sorted by name and then by ' +
      'value, joined by `&`; the line is empty where there is none.',
  ),
};

const session = (environment: string) => ({
  type: 'apiKey',
  in: 'cookie',
  name: `__Host-godwit-session-${environment}`,
  description:
    'A signed-in person. What they may do comes from their role bindings. A browser that holds a session of each environment ' +
    'says in the header `X-Environment` which one it means, `live` or `sandbox`; whatever the credential, a request that ' +
    'names another environment than its own is refused.',
});

export const securitySchemes: Json = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key: `gw_live_…` or, for the sandbox, `gw_test_…`.',
  },
  ...signing,
  liveSession: session('live'),
  sandboxSession: session('sandbox'),
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description: 'The `csrfToken` of the session, repeated on every write that carries its cookie.',
  },
};

const signed = Object.fromEntries(Object.keys(signing).map((name) => [name, []]));

/** Any one of these suffices. A write with the cookie also shows that the page itself sent it. */
export function securityOf({ access, method }: Operation): Json[] {
  if (access === 'public') return [];
  const written = method === 'GET' ? {} : { csrfToken: [] };
  return [{ apiKey: [] }, signed, { liveSession: [], ...written }, { sandboxSession: [], ...written }];
}
