// From whom was named to where the message goes: the address of a contact that the sender can use.
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { type Addressee, type Identifier, normalizeUsername } from '../../contacts/index.ts';
import type { Recipient, Unusable } from '../gates/case.ts';

const bsuidForm = /^([A-Z]{2})\.(ENT\.)?[A-Za-z0-9]{1,128}$/;

/** The country an address belongs to, as far as it tells. */
export function countryOf({ identifierType, value }: Identifier): string | null {
  if (identifierType === 'phone_e164') return parsePhoneNumberFromString(value)?.country ?? null;
  return identifierType === 'bsuid' ? (bsuidForm.exec(value)?.[1] ?? null) : null;
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
