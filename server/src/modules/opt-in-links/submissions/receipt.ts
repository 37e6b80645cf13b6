// The receipt a person takes away: what they agreed to, with whom and when, signed. Its terms are those of ISO/IEC TS 27560.
// The number is masked, and every date in it is of this submission: a receipt tells nothing of what was known before.
import type { PageLanguage } from '../../../platform/http/operations/html-answer.ts';
import { type SigningKey, signStatement } from '../../../platform/signing/signatures.ts';
import type { FormLink } from '../find-link.ts';

export type ReceiptFacts = {
  id: string;
  at: Date;
  issuer: string;
  organizationName: string;
  maskedPhone: string;
  link: FormLink;
  language: PageLanguage;
  wordingVersion: string;
};

/** Enough for the person to know it again, too little for anybody else: +33•••••••78. */
export const maskPhone = (e164: string): string =>
  `${e164.slice(0, 3)}${'•'.repeat(Math.max(0, e164.length - 5))}${e164.slice(-2)}`;

export const signReceipt = (key: SigningKey, facts: ReceiptFacts): string =>
  signStatement(key, 'consent-receipt+jwt', claimsOf(facts));

function claimsOf({
  id,
  at,
  issuer,
  organizationName,
  maskedPhone,
  link,
  language,
  wordingVersion,
}: ReceiptFacts) {
  return {
    iss: issuer,
    iat: Math.floor(at.getTime() / 1_000),
    jti: id,
    schema_version: 'ISO/IEC TS 27560:2023',
    receipt_id: id,
    pii_principal_id: maskedPhone,
    pii_controllers: [{ party_name: organizationName, party_role: 'pii_controller' }],
    language,
    privacy_notice: { version: wordingVersion, text: link.consentText },
    purposes: [
      {
        purpose: link.purpose,
        lawful_basis: 'consent',
        pii_information: ['phone_number'],
        collection_method: 'web form',
        processing_method: 'messages by WhatsApp',
        withdrawal_method: 'answer STOP to any message',
      },
    ],
    event: {
      event_time: at.toISOString(),
      event_type: 'explicit',
      event_state: 'consent given',
      entity_id: link.sid,
    },
  };
}
