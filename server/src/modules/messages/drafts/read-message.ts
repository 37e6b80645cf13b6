// From the body of a request to a draft: which fields go together, in their one form. Everything here can be judged
// without looking anything up.
import { isSupportedCountry } from 'libphonenumber-js';
import type { ErrorDetail } from '../../../platform/errors/errors.ts';
import type { Principal } from '../../../platform/principal.ts';
import { type Identifier, readPhone } from '../../contacts/index.ts';
import { type Content, type ContentField, contentObjects, fieldOfType } from '../../provider/index.ts';
import type { NewMessage } from '../schema.ts';
import { priorities } from '../statuses.ts';

/** A recipient by what they are called; whose BSUID it is follows from the sender. */
export type Addressed = Pick<Identifier, 'identifierType' | 'value'> & { country: string | null };

/** A body as it came, and whose it is. */
export type Submission = {
  body: NewMessage;
  author: Principal;
  /** The campaign it is sent by; none where somebody sends it. */
  campaignSid?: string;
};

/** A message as it was asked for: its fields go together, and nothing it names has been looked up. */
export type Draft = {
  author: Principal;
  to: { identifier: Addressed } | { contactSid: string } | { conversationSid: string };
  sender: { sid: string } | { poolSid: string } | 'any';
  composer: { claimToken: string | null; overrideReason: string | null };
  /** What is sent, or the stored content it is made from. */
  content: Content | { contentSid: string; variables: Record<string, string> };
  replyTo: { messageSid: string } | { providerMessageId: string } | null;
  category: NewMessage['category'] | null;
  transport: NonNullable<NewMessage['transport']>;
  ttlSeconds: number | null;
  deferIfCapped: boolean;
  priority: number;
  sendAt: Date | null;
  validitySeconds: number | null;
  statusCallback: { url: string } | { sid: string } | null;
  metadata: Record<string, string>;
  tags: string[];
  campaignSid: string | null;
};

const addressFields = ['to', 'recipient', 'contactSid', 'conversationSid'] as const;
const contentFields = Object.keys(contentObjects) as ContentField[];
const farthestMs = 35 * 24 * 60 * 60 * 1000;

export function readMessage(
  { body, author, campaignSid = undefined }: Submission,
  now: Date,
): Draft | ErrorDetail[] {
  const issues: ErrorDetail[] = [];
  const to = readAddress(body, issues);
  const content = readContent(body, issues);
  judgeCompany(body, issues);
  const sendAt = readSendAt(body, now, issues);
  if (issues.length > 0 || !to || !content) return issues;
  const { context, statusCallbackUrl, statusCallbackSid } = body;
  return {
    author,
    to,
    sender: body.from ? { sid: body.from } : body.senderPoolSid ? { poolSid: body.senderPoolSid } : 'any',
    composer: {
      claimToken: body.composerClaimToken ?? null,
      overrideReason: body.composerOverrideReason ?? null,
    },
    content,
    replyTo: context?.replyToMessageId
      ? { messageSid: context.replyToMessageId }
      : context?.providerMessageId
        ? { providerMessageId: context.providerMessageId }
        : null,
    category: body.category ?? null,
    transport: body.transport ?? 'cloud_api',
    ttlSeconds: body.transportOptions?.ttlSeconds ?? null,
    deferIfCapped: body.deferIfCapped ?? false,
    priority: body.priority ? priorities.indexOf(body.priority) : 1,
    sendAt,
    validitySeconds: body.validityPeriodSeconds ?? null,
    statusCallback: statusCallbackUrl
      ? { url: statusCallbackUrl }
      : statusCallbackSid
        ? { sid: statusCallbackSid }
        : null,
    metadata: body.metadata ?? {},
    tags: [...new Set(body.tags ?? [])],
    campaignSid: campaignSid ?? null,
  };
}

function readAddress(body: NewMessage, issues: ErrorDetail[]): Draft['to'] | null {
  const given = addressFields.filter((field) => body[field] !== undefined);
  if (given.length !== 1) {
    const issue = `exactly one of ${addressFields.join(', ')} must be given`;
    issues.push(...(given.length === 0 ? ['to'] : given).map((path) => ({ path, issue })));
    return null;
  }
  const country = body.defaultCountry?.toUpperCase();
  const phone = body.to !== undefined || body.recipient?.identifierType === 'phone_e164';
  if (country !== undefined && !phone) {
    issues.push({ path: 'defaultCountry', issue: 'goes with a phone number only' });
  } else if (country !== undefined && !isSupportedCountry(country)) {
    issues.push({ path: 'defaultCountry', issue: 'is not a country with telephone numbers' });
    return null;
  }
  if (body.contactSid !== undefined) return { contactSid: body.contactSid };
  if (body.conversationSid !== undefined) return { conversationSid: body.conversationSid };
  if (!phone) return { identifier: { ...body.recipient!, country: null } };
  const [path, text] =
    body.to === undefined ? ['recipient.value', body.recipient!.value] : ['to', withoutChannel(body.to)];
  const judged = readPhone(text, country && isSupportedCountry(country) ? country : undefined);
  if (judged.issue !== undefined) {
    issues.push({ path, issue: judged.issue });
    return null;
  }
  const { number, country: origin } = judged.value;
  return { identifier: { identifierType: 'phone_e164', value: number, country: origin } };
}

/** `whatsapp:+33612345678` names the channel we speak anyway. */
const withoutChannel = (to: string) => to.replace(/^\s*[A-Za-z][A-Za-z0-9_-]*:/, '');

function readContent(body: NewMessage, issues: ErrorDetail[]): Draft['content'] | null {
  const { type, contentSid, variables } = body;
  const given = contentFields.filter((field) => body[field] !== undefined);
  if ((type === undefined) === (contentSid === undefined)) {
    const issue = 'exactly one of type and contentSid must be given';
    issues.push({ path: 'type', issue });
    if (contentSid !== undefined) issues.push({ path: 'contentSid', issue });
    return null;
  }
  if (contentSid !== undefined) {
    issues.push(...given.map((path) => ({ path, issue: 'does not go with contentSid' })));
    return { contentSid, variables: variables ?? {} };
  }
  if (variables !== undefined) issues.push({ path: 'variables', issue: 'goes with contentSid only' });
  const wanted = fieldOfType[type!];
  if (body[wanted] === undefined) issues.push({ path: wanted, issue: `is required for type ${type}` });
  for (const path of given) {
    if (path !== wanted) issues.push({ path, issue: `does not belong to type ${type}` });
  }
  if (issues.length > 0) return null;
  return { type, [wanted]: body[wanted] } as Content;
}

/** Fields that need others, or exclude them. */
function judgeCompany(body: NewMessage, issues: ErrorDetail[]): void {
  const refuse = (path: keyof NewMessage, issue: string) => {
    if (body[path] !== undefined) issues.push({ path, issue });
  };
  if (body.from !== undefined) refuse('senderPoolSid', 'does not go with from');
  if (body.conversationSid === undefined) {
    refuse('composerClaimToken', 'goes with conversationSid only');
    refuse('composerOverrideReason', 'goes with conversationSid only');
  }
  if (body.transport !== 'marketing_messages') {
    refuse('transportOptions', 'goes with transport marketing_messages only');
  } else if (body.type !== undefined && body.type !== 'template') {
    issues.push({ path: 'transport', issue: 'marketing_messages carries templates only' });
  }
  if (body.statusCallbackUrl !== undefined) {
    refuse('statusCallbackSid', 'does not go with statusCallbackUrl');
  }
  const { context } = body;
  if (context && (context.replyToMessageId === undefined) === (context.providerMessageId === undefined)) {
    const issue = 'exactly one of replyToMessageId and providerMessageId must be given';
    issues.push({ path: 'context.replyToMessageId', issue });
  }
}

function readSendAt({ sendAt }: NewMessage, now: Date, issues: ErrorDetail[]): Date | null {
  if (sendAt === undefined) return null;
  const at = new Date(sendAt);
  if (at < now) issues.push({ path: 'sendAt', issue: 'must not be in the past' });
  if (at.getTime() > now.getTime() + farthestMs) {
    issues.push({ path: 'sendAt', issue: 'must be at most 35 days ahead' });
  }
  return at;
}
