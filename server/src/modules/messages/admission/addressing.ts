// From whom was named to where the message goes: the address of a contact that the sender can use.
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
} from 'libphonenumber-js';
import { type Addressee, type Identifier, normalizeUsername } from '../../contacts/index.ts';
import type { Recipient, Unusable } from '../gates/case.ts';

const bsuidForm = /^([A-Z]{2})\.(ENT\.)?[A-Za-z0-9]{1,128}$/;

/** The country an address belongs to, as far as it tells. */
export function countryOf({ identifierType, value }: Identifier): string | null {
  if (identifierType === 'phone_e164')
    return countryByPrefix(value) ?? parsePhoneNumberFromString(value)?.country ?? null;
  return identifierType === 'bsuid' ? (bsuidForm.exec(value)?.[1] ?? null) : null;
}

/** The countries that have a calling code for themselves, by it. No code is the beginning of another. */
const ownCodes = new Map<string, CountryCode>();
for (const country of getCountries()) {
  const code = getCountryCallingCode(country);
  const shared = getCountries().some((other) => other !== country && getCountryCallingCode(other) === code);
  if (!shared) ownCodes.set(code, country);
}

const whole = /^\+[1-9][0-9]{6,14}$/;

/** Most countries share their code with nobody: to look at it alone costs a tenth of reading the whole number. */
export function countryByPrefix(value: string): CountryCode | null {
  if (!whole.test(value)) return null;
  for (let digits = 1; digits <= 3; digits += 1) {
    const country = ownCodes.get(value.slice(1, 1 + digits));
    if (country) return country;
  }
  return null;
}

/** What a recipient is looked up by; or why it cannot be. */
export function wanted(
  { identifierType, value }: Pick<Identifier, 'identifierType' | 'value'>,
  portfolioId: string | null,
): Identifier | Unusable {
  if (identifierType === 'phone_e164') return { identifierType, value, scopeRef: null };
  if (identifierType === 'username') {
    const judged = normalizeUsername(value);
    if (judged.issue === undefined) return { identifierType, value: judged.value, scopeRef: null };
    return {
      code: 'RECIPIENT_USERNAME_INVALID',
      details: [{ path: 'recipient.value', issue: judged.issue }],
    };
  }
  if (!bsuidForm.test(value)) {
    const issue =
      'must be a country code, a dot and 1 to 128 letters or digits, such as FR.48120077310552911';
    return { code: 'VALIDATION_ERROR', details: [{ path: 'recipient.value', issue }] };
  }
  return portfolioId === null ? unaddressable : { identifierType, value, scopeRef: portfolioId };
}

const unaddressable: Unusable = { code: 'RECIPIENT_ADDRESSING_UNSUPPORTED' };

/** The address a known contact is written to: a phone number before all, else the id it has with this portfolio. */
export function addressOf(
  { contactSid, identifiers }: Addressee,
  portfolioId: string | null,
): Recipient | Unusable {
  const phone = identifiers.find(({ identifierType }) => identifierType === 'phone_e164');
  const bsuid = identifiers.find(
    ({ identifierType, scopeRef }) => identifierType === 'bsuid' && scopeRef === portfolioId,
  );
  const identifier = phone ?? bsuid;
  if (!identifier) return unaddressable;
  return { identifier, contactSid, country: countryOf(identifier) };
}
