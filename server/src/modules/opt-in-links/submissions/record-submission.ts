// A form that was agreed to, recorded in one transaction: the person, what they agreed to and in which words, and the answer
// they get. For a person who is known and one who is not the same is asked and answered.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { sha256 } from '../../../platform/hashing.ts';
import type { PageLanguage } from '../../../platform/http/operations/html-answer.ts';
import { newUuid, randomBase32 } from '../../../platform/ids.ts';
import type { SigningKey } from '../../../platform/signing/signatures.ts';
import {
  consentsBySid,
  consentsOf,
  recordConsents,
  type Standing,
  standingSuppressions,
  suppressLocked,
} from '../../consent/index.ts';
import { type ConsentSummary, noConsents, requireFound, resolveContacts } from '../../contacts/index.ts';
import { connectedSenders } from '../../senders/index.ts';
import type { FormLink } from '../find-link.ts';
import { countSubmission, lockOpenLink } from '../links.ts';
import type { OptInReceipt } from '../schema.ts';
import type { Agreed } from './judge-submission.ts';
import { countHour, passPerson } from './limits.ts';
import { maskPhone, signReceipt } from './receipt.ts';

export type Submission = {
  link: FormLink;
  agreed: Agreed;
  language: PageLanguage;
  /** Null for programs, which have none. */
  ticketHash: Buffer | null;
};

export async function recordSubmission(
  t: TenantTx,
  signingKey: SigningKey,
  submission: Submission,
): Promise<OptInReceipt> {
  const { link, agreed, language, ticketHash } = submission;
  const hour = await lockOpenLink(t, link.sid);
  const before = ticketHash && (await answerTo(t, link, ticketHash));
  if (before) return before;
  const counted = countHour(t.now, hour);
  const contactSid = await personOf(t, agreed);
  await passPerson(t, contactSid);
  const id = newUuid(t.now);
  const wordingVersion = `${link.wordingVersion}:${language}`;
  await recordConsent(t, { link, contactSid, proofRef: id, wordingVersion });
  const code = randomBase32(5).toUpperCase();
  const answer = await answerOf(t, signingKey, submission, { id, wordingVersion, code });
  await t.run(sql`
    insert into opt_in_submissions (account_sid, livemode, id, link_sid, contact_sid, ticket_hash, code_hash,
      wording_version, answer, created_at)
    values (${t.accountSid}, ${t.livemode}, ${id}, ${link.sid}, ${contactSid}, ${ticketHash}, ${sha256(code)},
      ${wordingVersion}, ${ticketHash && t.sealer.seal(JSON.stringify(answer), answerContext(link))}, ${t.now})`);
  await countSubmission(t, link.sid, counted);
  return answer;
}

const answerContext = ({ sid }: FormLink) => `opt-in-answer/${sid}`;

/** What was answered to this ticket before; null for one that was never used. */
export async function answerTo(
  t: TenantTx,
  link: FormLink,
  ticketHash: Buffer,
): Promise<OptInReceipt | null> {
  const row = await t.maybe<{ answer: Buffer | null }>(sql`
    select answer from opt_in_submissions
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and link_sid = ${link.sid}
       and ticket_hash = ${ticketHash}`);
  return row?.answer ? JSON.parse(t.sealer.open(row.answer, answerContext(link)).toString()) : null;
}

/** Found or made by the number, and held. A name is only for somebody new: strangers rename nobody. */
async function personOf(t: TenantTx, { phone, name }: Agreed): Promise<string> {
  const identifiers = [{ identifierType: 'phone_e164' as const, value: phone, scopeRef: null }];
  const profile = name === null ? {} : { displayName: name };
  const [resolved] = await resolveContacts(t, { consentsOf }, [{ identifiers, profile }], { lock: true });
  return requireFound(resolved!).contactSid;
}

type Given = { link: FormLink; contactSid: string; proofRef: string; wordingVersion: string };

async function recordConsent(
  t: TenantTx,
  { link, contactSid, proofRef, wordingVersion }: Given,
): Promise<void> {
  const { purpose, consentText } = link;
  const consents = (await consentsOf(t, [contactSid])).get(contactSid) ?? noConsents;
  const standing = (await standingSuppressions(t, [contactSid])).get(contactSid) ?? [];
  if (await isRepeat(t, link, consents)) return;
  const optedOut = ['OPTED_OUT', 'REVOKED'].includes(consents[purpose].status);
  // Only everything at once could be held back here, and a stranger must not silence messages the person wants: the
  // consent waits for the person's own phone.
  if (optedOut && purpose !== 'MARKETING') return;
  if (optedOut && !standing.some(isOwnWish)) {
    const terms = { reason: 'CUSTOMER_OPT_OUT', scope: 'MARKETING', source: 'opt-in form' } as const;
    await suppressLocked(t, [{ contactSid, terms }]);
  }
  const evidence = {
    capturedAt: t.now.toISOString(),
    wording: consentText,
    wordingVersion,
    proofRef,
    sourcePage: `${t.site.publicUrl}/v1/opt-in`,
  };
  const input = { purpose, source: 'FORM', status: 'OPTED_IN', evidenceRef: link.sid, evidence } as const;
  await recordConsents(t, [{ contactSid, input }]);
}

const ownWishes = ['CUSTOMER_OPT_OUT', 'KEYWORD_OPT_OUT', 'PROVIDER_MARKETING_OPT_OUT'];

/** The person's own word that they want nothing, from whichever sender. */
const isOwnWish = ({ reason, senderSid }: Standing) => senderSid === null && ownWishes.includes(reason);

/** Whether what counts already is that the person agreed on this very link. */
async function isRepeat(t: TenantTx, { sid, purpose }: FormLink, consents: ConsentSummary): Promise<boolean> {
  const { status, consentSid } = consents[purpose];
  const known = (await consentsBySid(t, consentSid === null ? [] : [consentSid])).get(consentSid ?? '');
  return status === 'OPTED_IN' && known?.evidence?.wordingVersion?.startsWith(`${sid}:`) === true;
}

type Made = { id: string; wordingVersion: string; code: string };

async function answerOf(
  t: TenantTx,
  signingKey: SigningKey,
  { link, agreed, language }: Submission,
  { id, wordingVersion, code }: Made,
): Promise<OptInReceipt> {
  const { organizationName } = link;
  const phone = maskPhone(agreed.phone);
  const issuer = t.site.publicUrl;
  const facts = {
    id,
    at: t.now,
    issuer,
    organizationName,
    maskedPhone: phone,
    link,
    language,
    wordingVersion,
  };
  return {
    object: 'opt_in_receipt',
    phone,
    organizationName,
    purpose: link.purpose,
    wordingVersion,
    submittedAt: t.now.toISOString(),
    receipt: signReceipt(signingKey, facts),
    confirmation: await confirmationBy(t, code),
  };
}

/** The message by which the phone itself confirms, to the sender the account has had for longest. */
async function confirmationBy(t: TenantTx, code: string): Promise<OptInReceipt['confirmation']> {
  const [sender] = await connectedSenders(t);
  if (!sender) return null;
  const text = `START ${code}`;
  const digits = sender.phoneNumber.replaceAll(/\D/g, '');
  return { text, url: `https://wa.me/${digits}?text=${encodeURIComponent(text)}` };
}
