// Signing in through a provider, from the redirect there to the session here. Whatever goes wrong, the browser hears
// one answer; the reason goes to the audit chain of the organization, once the request has proved to be one of ours.
import { ApiError } from '../../../platform/errors/errors.ts';
import { Answer, type Open } from '../../../platform/http/operations/operation.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { findAccount } from '../../accounts/index.ts';
import { audit } from '../../audit/index.ts';
import { onHomeAccount } from '../home-account.ts';
import { type ActiveProvider, findActiveProvider, findActiveProviderByKey } from '../providers/providers.ts';
import type { Browser } from '../sessions/browser.ts';
import { openSession } from '../sign-in/continue-sign-in.ts';
import { bindingCookie, bindingFor, readBinding } from './browser-binding.ts';
import type { ExternalPerson } from './external-person.ts';
import { findPerson, NotLetIn } from './find-person.ts';
import { oidcSignInUrl, readOidcAnswer } from './oidc.ts';
import { readSamlAnswer, samlSignInUrl } from './saml.ts';
import { keepRequest, newRequest, type SpentRequest, spendAssertion, spendRequest } from './sso-requests.ts';

type Start = {
  accountSid?: string;
  organization?: string;
  environment?: 'live' | 'sandbox';
  returnTo?: string;
};

const refused = () => new ApiError('AUTHENTICATION_ERROR');
const noStore = { 'cache-control': 'no-store' };

export async function startSignIn(
  call: Open,
  providerKey: string,
  start: Start,
  browser: Browser,
): Promise<Answer<null>> {
  const provider = await findSignInProvider(call, providerKey, start);
  if (!provider) throw refused();
  const livemode = start.environment !== 'sandbox';
  const mode = provider.protocol === 'OIDC' ? 'redirect' : 'form';
  const request = newRequest();
  const location = await (mode === 'redirect' ? oidcSignInUrl : samlSignInUrl)(
    call,
    provider,
    request,
    livemode,
  ).catch((error) => writeDownAndRefuse(call, provider, livemode, 'provider_unreachable', error));
  const binding = bindingFor(mode, browser.cookie);
  const { id: providerId, organizationId } = provider;
  const where = { providerId, organizationId, livemode, returnTo: ownPath(call, start.returnTo), binding };
  await call.database.system((s) => keepRequest(s, call.sealer, call.now, request, where));
  return new Answer(302, null, { location, 'set-cookie': bindingCookie(mode, binding), ...noStore });
}

/** Normalised by the same parser browsers use, and held to our own origin by it. */
function ownPath({ site }: Open, path = '/'): string {
  const own = new URL(site.publicUrl);
  const url = new URL(path, own);
  return url.origin === own.origin ? `${url.pathname}${url.search}${url.hash}` : '/';
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function findSignInProvider(call: Open, key: string, start: Start): Promise<ActiveProvider | null> {
  const found = await call.database.system(async (s) => {
    const { accountSid, organization } = start;
    const account = accountSid === undefined ? null : await findAccount(s, accountSid);
    const organizationId = organization ?? account?.organizationId;
    if (organizationId !== undefined) return findActiveProviderByKey(s, organizationId, key);
    return accountSid === undefined && uuidForm.test(key) ? findActiveProvider(s, key) : null;
  });
  return found && isForSignIn(found) ? found : null;
}

const isForSignIn = ({ protocol }: ActiveProvider) => protocol === 'OIDC' || protocol === 'SAML';

type OidcReply = { state: string } & Record<string, string>;

export function finishOidc(
  call: Open,
  providerId: string,
  reply: OidcReply,
  browser: Browser,
): Promise<Answer<null>> {
  return finish(call, { providerId, protocol: 'OIDC', state: reply.state, browser }, (provider, request) =>
    readOidcAnswer(call, provider, request, reply),
  );
}

type SamlReply = { SAMLResponse: string; RelayState: string };

export function finishSaml(
  call: Open,
  providerId: string,
  reply: SamlReply,
  browser: Browser,
): Promise<Answer<null>> {
  const answered = { providerId, protocol: 'SAML', state: reply.RelayState, browser } as const;
  return finish(call, answered, async (provider, { secrets }) => {
    const { person, assertion } = await readSamlAnswer(call, provider, secrets, reply.SAMLResponse);
    const first = await call.database.system((s) => spendAssertion(s, provider, assertion));
    if (!first) throw new Error('the assertion was used before');
    return person;
  });
}

type Answered = { providerId: string; protocol: 'OIDC' | 'SAML'; state: string; browser: Browser };
type Read = (provider: ActiveProvider, request: SpentRequest) => Promise<ExternalPerson>;

async function finish(call: Open, answered: Answered, read: Read): Promise<Answer<null>> {
  const { providerId, protocol, state, browser } = answered;
  if (!uuidForm.test(providerId)) throw refused();
  const binding = readBinding(protocol === 'OIDC' ? 'redirect' : 'form', browser.cookie);
  const { provider, request } = await call.database.system(async (s) => ({
    provider: await findActiveProvider(s, providerId),
    request: await spendRequest(s, call.sealer, call.now, { providerId, state, binding }),
  }));
  // A stranger could otherwise fill an organization's audit chain with answers to nothing.
  if (!request || provider?.protocol !== protocol) throw refused();
  const { livemode } = request;
  const person = await read(provider, request).catch((error) =>
    writeDownAndRefuse(call, provider, livemode, 'answer_refused', error),
  );
  const { organizationId } = provider;
  const here = { ...call, principal: systemPrincipal(`sso:${provider.id}`, livemode) };
  const userSid = await onHomeAccount(here, { organizationId, livemode }, (t) =>
    findPerson(t, provider, person),
  ).catch((error) => writeDownAndRefuse(call, provider, livemode, 'not_let_in', error));
  const methods = [protocol === 'OIDC' ? 'oidc' : 'saml'] as ('oidc' | 'saml')[];
  const first = { userSid, organizationId, livemode, methods, providerId, browser };
  const opened = await openSession(call, first).catch((error) =>
    writeDownAndRefuse(call, provider, livemode, 'not_let_in', error),
  );
  const location = request.returnTo;
  return new Answer(protocol === 'OIDC' ? 302 : 303, null, { ...opened.headers, ...noStore, location });
}

type Stage = 'provider_unreachable' | 'answer_refused' | 'not_let_in';

/** The library's errors may carry tokens, so that only their kind and sentence are logged. */
async function writeDownAndRefuse(
  call: Open,
  provider: ActiveProvider,
  livemode: boolean,
  stage: Stage,
  error: unknown,
): Promise<never> {
  const { name, message } = error instanceof Error ? error : { name: 'unknown', message: '' };
  const reason = error instanceof NotLetIn ? message : stage;
  call.log.info(
    { providerId: provider.id, stage, error: { name, message } },
    'a sign-in through a provider failed',
  );
  const here = { ...call, principal: systemPrincipal(`sso:${provider.id}`, livemode) };
  await onHomeAccount(here, { organizationId: provider.organizationId, livemode }, async (t) =>
    audit(t, { action: 'sign_in.failed', resource: provider.id, facts: { reason } }),
  );
  throw refused();
}
