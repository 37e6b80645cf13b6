// Which user an external person is. The identity is (provider, subject); an e-mail address only ever helps at the first
// meeting, and only as far as the provider's configuration lets it.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { newSid } from '../../../platform/ids.ts';
import { audit } from '../../audit/index.ts';
import { bindByDirectory } from '../../roles/index.ts';
import type { PeopleConfig } from '../providers/config.ts';
import { directoryOf } from '../providers/directory-of.ts';
import { type ActiveProvider, lockActiveProvider } from '../providers/providers.ts';
import { mayVouchFor } from '../providers/vouching.ts';
import { domainOf, type ExternalPerson, maxSubjectLength, usableEmail } from './external-person.ts';

/** Why nobody was found, for the audit chain; the browser is never told. */
export class NotLetIn extends Error {
  override name = 'NotLetIn';
}

export async function findPerson(
  t: TenantTx,
  provider: ActiveProvider,
  person: ExternalPerson,
): Promise<string> {
  if (!(await lockActiveProvider(t, provider.id))) throw new NotLetIn('provider_not_active');
  if (person.subject.length > maxSubjectLength) throw new NotLetIn('subject_too_long');
  // One meeting at a time: two first sign-ins of one person must not make two users.
  await t.run(sql`select pg_advisory_xact_lock(hashtextextended(${`${provider.id}:${person.subject}`}, 0))`);
  const known = await t.maybe<{ userSid: string }>(sql`
    select user_sid as "userSid" from external_identities
     where provider_id = ${provider.id} and subject = ${person.subject}`);
  if (known) return known.userSid;
  const userSid = (await linkByEmail(t, provider, person)) ?? (await welcome(t, provider, person));
  if (userSid === null) throw new NotLetIn('not_known');
  await t.run(sql`
    insert into external_identities (provider_id, subject, organization_id, user_sid, created_at)
    values (${provider.id}, ${person.subject}, ${provider.organizationId}, ${userSid}, ${t.now})`);
  audit(t, { action: 'external_identity.linked', resource: userSid, facts: { providerId: provider.id } });
  return userSid;
}

const configOf = ({ publicConfig }: ActiveProvider) => publicConfig as PeopleConfig;

/** The address, if the provider's word for it counts; null otherwise. */
function vouchedEmail(
  { emailDomains }: PeopleConfig,
  person: ExternalPerson,
  sayingSoSuffices: boolean,
): string | null {
  const email = usableEmail(person.email);
  if (email === null || person.emailVerified === false) return null;
  if (emailDomains && !emailDomains.includes(domainOf(email))) return null;
  // Where the provider does not say whether it verified the address, the administrator's list of domains must.
  return person.emailVerified === true || (sayingSoSuffices && emailDomains) ? email : null;
}

type Candidate = { sid: string; status: string; linked: boolean };

async function linkByEmail(
  t: TenantTx,
  provider: ActiveProvider,
  person: ExternalPerson,
): Promise<string | null> {
  const config = configOf(provider);
  const email = vouchedEmail(config, person, provider.protocol === 'SAML');
  if (!config.linkByVerifiedEmail || email === null) return null;
  const found = await t.maybe<Candidate>(sql`
    select sid, status, exists (select from external_identities e
        where e.provider_id = ${provider.id} and e.user_sid = u.sid) as linked
      from users u where organization_id = ${provider.organizationId} and lower(email) = lower(${email})
       for no key update`);
  // Somebody else at this provider already is this user: an address that changed hands opens nothing.
  if (!found || found.linked || found.status === 'DEACTIVATED') return null;
  if (!(await mayVouchFor(t, provider, found.sid)))
    throw new NotLetIn('holds_more_than_the_provider_may_vouch_for');
  if (found.status === 'INVITED') {
    await t.run(sql`
      update users set status = 'ACTIVE', version = version + 1, updated_at = ${t.now} where sid = ${found.sid}`);
  }
  return found.sid;
}

/** A new user, made at the first meeting. An address that somebody has already is not given away. */
async function welcome(
  t: TenantTx,
  provider: ActiveProvider,
  person: ExternalPerson,
): Promise<string | null> {
  const { justInTime, defaultRole } = configOf(provider);
  const email = vouchedEmail(configOf(provider), person, true);
  if (!justInTime || email === null) return null;
  const userSid = newSid('US', t.now);
  const made = await t.run(sql`
    insert into users (sid, organization_id, email, display_name, status, created_at, updated_at)
    values (${userSid}, ${provider.organizationId}, ${email}, ${person.displayName?.slice(0, 128) ?? null}, 'ACTIVE',
      ${t.now}, ${t.now})
    on conflict (organization_id, lower(email)) do nothing`);
  if (made === 0) return null;
  audit(t, { action: 'user.created', resource: userSid, facts: { providerId: provider.id } });
  if (defaultRole) await bindByDirectory(t, directoryOf(provider), [{ userSid, role: defaultRole }]);
  return userSid;
}
