import type { Module } from '../../platform/module.ts';
import { formerPages } from './mails/links.ts';
import { sweepCeremonies } from './mfa/crons.ts';
import { operations as mfaOperations } from './mfa/routes.ts';
import { identityNotifications } from './notifications.ts';
import { operations as ownSessionOperations } from './own-sessions/routes.ts';
import { sendPasswordNotice, sendPasswordReset, sweepSignIns } from './password-changes/jobs.ts';
import { operations as passwordOperations } from './password-changes/routes.ts';
import { disableForgottenKeys } from './policy/crons.ts';
import { operations as policyOperations } from './policy/routes.ts';
import { providerOperations } from './providers/routes.ts';
import { operations as signInOperations } from './sign-in/routes.ts';
import { sweepSsoRequests } from './sso/crons.ts';
import { ssoOperations } from './sso/routes.ts';
import { endStaffGrants } from './staff/end-grants.ts';
import { operations as stepUpOperations } from './step-up/routes.ts';
import { sendInvitation } from './users/jobs.ts';
import { operations as userOperations } from './users/routes.ts';

export {
  activePeople,
  everybody,
  localeOf,
  type Person,
} from './mails/addressee.ts';
export { allowPasswords } from './policy/policy.ts';
export { isCredentialRef } from './providers/config.ts';
export { setCredential } from './providers/credentials.ts';
export { directoryOf } from './providers/directory-of.ts';
export { type DirectoryProvider, findDirectoryByToken, lockActiveProvider } from './providers/providers.ts';
export { directoryUrl } from './providers/urls.ts';
export { mayVouchFor } from './providers/vouching.ts';
export { sessionAuthenticator } from './sessions/authenticate.ts';
export { usableEmail } from './sso/external-person.ts';
export {
  letStaffIn,
  lockStaffMember,
  mostStaffHours,
  peopleNamed,
  type StaffMember,
} from './staff/let-in.ts';
export { stepUpGate } from './step-up/step-up-tokens.ts';
export { knowStepUpActions } from './step-up-actions.ts';
export { userStatus } from './user-status.ts';
export {
  createDirectoryUser,
  type DirectoryRecord,
  deprovisionUser,
  describeDirectoryUser,
  forgetUser,
  giveToDirectory,
  lockDirectoryUsers,
  lockUnkeptUser,
  people,
  restoreDirectoryUser,
} from './users/directory-users.ts';
export { createOwner, generatePassword } from './users/first-owner.ts';
export { activeAmong } from './users/users.ts';
export const identityModule: Module = {
  name: 'identity',
  tables: [
    'auth_policies',
    'users',
    'invitations',
    'password_resets',
    'pending_sign_ins',
    'attempt_counters',
    'identity_providers',
    'identity_credentials',
    'external_identities',
    'sso_requests',
    'used_assertions',
    'sessions',
    'mfa_credentials',
    'mfa_enrollments',
    'mfa_ceremonies',
    'recovery_codes',
    'recovery_code_sets',
    'step_up_tokens',
  ],
  tags: {
    Identity: 'Second factors, step-up tokens, the authentication policy and who is asking.',
    Users: 'The people of the organization: inviting, deactivating, reactivating.',
    'Sign-in': 'Passwords, sessions and signing in through identity providers, for the pages people use.',
    'Identity providers':
      'Sign-in by OpenID Connect or SAML, directories by SCIM, and the second factors that are allowed.',
  },
  operations: [
    ...mfaOperations,
    ...stepUpOperations,
    ...userOperations,
    ...signInOperations,
    ...ownSessionOperations,
    ...passwordOperations,
    ...policyOperations,
    ...providerOperations,
    ...ssoOperations,
  ],
  jobs: [sendInvitation, sendPasswordReset, sendPasswordNotice, endStaffGrants],
  notifications: identityNotifications,
  crons: [sweepCeremonies, sweepSignIns, sweepSsoRequests, disableForgottenKeys],
  pages: formerPages,
};
