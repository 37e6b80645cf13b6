/** Who came, as a provider tells it. The subject is the person; the address is only what the provider says of them. */
export type ExternalPerson = {
  subject: string;
  email: string | null;
  /** Null where the protocol does not say. */
  emailVerified: boolean | null;
  displayName: string | null;
};

export const maxSubjectLength = 512;
const emailForm = /^[^\s@<>"(),:;\\[\]]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)+$/i;

/** An address that can be stored and written to; anything else counts as none. */
export function usableEmail(email: string | null): string | null {
  return email !== null && email.length <= 254 && emailForm.test(email) ? email : null;
}

export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1).toLowerCase();
