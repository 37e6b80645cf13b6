// Takes messages in: reads them, judges them by the gates and stores those that pass. Many at once, each with its own
// end; what one message uses up is gone for the next.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { type Judged, judgeMember } from '../../../platform/http/input/batch-body.ts';
import { judgeBy } from '../../../platform/http/input/validation.ts';
import { audit } from '../../audit/index.ts';
import { consentsOf } from '../../consent/index.ts';
import { contactsFor } from '../../contacts/index.ts';
import { type Choice, rememberChoices } from '../../senders/index.ts';
import type { Submission } from '../drafts/read-message.ts';
import { type Case, isUnusable, type Resolved } from '../gates/case.ts';
import { judge } from '../gates/judge.ts';
import { type Message, NewMessage } from '../schema.ts';
import { poolSidOf } from './choose-from-pools.ts';
import { openCases } from './open-cases.ts';
import { type Admitted, storeMessages } from './store-messages.ts';

const judgeBody = judgeBy(NewMessage);

/** A body that nobody has judged by its schema yet: as it is, or the error it is refused with. */
export const judgeMessage = (body: unknown): Judged<NewMessage> =>
  judgeMember(body, judgeBody) as Judged<NewMessage>;

/** As `admitMessages`, of bodies that were judged one by one: one that is wrong refuses nobody else. */
export async function admitEach(
  t: TenantTx,
  submissions: (Omit<Submission, 'body'> & { body: Judged<NewMessage> })[],
): Promise<(Message | ApiError)[]> {
  const sound = submissions.filter((one): one is Submission => !(one.body instanceof ApiError));
  const admitted = await admitMessages(t, sound);
  const ends = new Map(sound.map((one, at) => [one, admitted[at]!]));
  return submissions.map((one) => (one.body instanceof ApiError ? one.body : ends.get(one as Submission)!));
}

/** The stored message of each submission in order, or why it was refused. */
export async function admitMessages(t: TenantTx, submissions: Submission[]): Promise<(Message | ApiError)[]> {
  const cases = await openCases(t, submissions, { toSend: true });
  const usage = new Usage();
  const judged = cases.map((one) => (one instanceof ApiError ? one : admit(one, usage)));
  const admitted = judged.filter((one): one is Admitted => !(one instanceof ApiError));
  const messages = await storeMessages(t, admitted, await settlePeople(t, admitted));
  auditOverrides(t, admitted, messages);
  const messageOf = new Map(admitted.map((one, at) => [one, messages[at]!]));
  return judged.map((one) => (one instanceof ApiError ? one : messageOf.get(one)!));
}

/** Sending into a conversation that somebody else was writing in is written down with its reason. */
function auditOverrides(t: TenantTx, admitted: Admitted[], messages: Message[]): void {
  for (const [at, { passedOver, draft }] of admitted.entries()) {
    if (passedOver === null) continue;
    const { sid: messageSid, conversationSid } = messages[at]!;
    audit(t, {
      action: 'composer_claim.overridden',
      resource: 'conversationSid' in draft.to ? draft.to.conversationSid : conversationSid!,
      facts: { heldBy: passedOver, reason: draft.composer.overrideReason, messageSid },
      principal: draft.author,
    });
  }
}

function admit(c: Case, usage: Usage): Admitted | ApiError {
  usage.applyTo(c);
  const { refusal, resolved } = judge(c, false);
  if (refusal) return refusal;
  const { sender, recipient, content, statusCallback } = c;
  if (isUnusable(sender) || isUnusable(recipient) || isUnusable(content) || isUnusable(statusCallback)) {
    throw new Error('a gate let something unusable through');
  }
  usage.take(c, resolved);
  return {
    draft: c.draft,
    sender,
    recipient,
    content,
    contactSid: recipient.contactSid,
    conversationSid: c.conversationSid,
    statusCallbackSid: statusCallback?.endpointSid ?? null,
    portfolio: c.portfolio,
    windowOpen: c.window.open,
    resolved,
    passedOver: c.composer && !isUnusable(c.composer) && c.composer.overrides ? c.composer.heldBy : null,
  };
}

/** What the accepted messages of this batch have used up of what their cases were loaded with. */
class Usage {
  private spentMinor = 0n;
  private readonly people = new Map<string, Set<string>>();

  applyTo(c: Case): void {
    const { availableMinor, heldMinor } = c.wallet;
    c.wallet = {
      ...c.wallet,
      availableMinor: availableMinor - this.spentMinor,
      heldMinor: heldMinor + this.spentMinor,
    };
    if (!c.portfolio) return;
    const taken = this.people.get(c.portfolio.id) ?? new Set();
    const counted = c.portfolio.counted || taken.has(personOf(c));
    c.portfolio = { ...c.portfolio, used: c.portfolio.used + taken.size, counted };
  }

  take(c: Case, { quote }: Resolved): void {
    this.spentMinor += quote?.totalMinor ?? 0n;
    if (!c.portfolio || c.window.open || c.portfolio.counted) return;
    const taken = this.people.get(c.portfolio.id) ?? new Set();
    this.people.set(c.portfolio.id, taken.add(personOf(c)));
  }
}

/** Somebody nobody has written to yet is told apart by their address. */
const personOf = ({ recipient }: Case) =>
  isUnusable(recipient) ? '' : (recipient.contactSid ?? recipient.identifier.value);

/** The contact of each. Strangers become contacts, and pools remember whom they chose. */
async function settlePeople(t: TenantTx, admitted: Admitted[]): Promise<string[]> {
  const strangers = admitted.filter(({ contactSid }) => contactSid === null);
  const made =
    strangers.length > 0
      ? await contactsFor(
          t,
          { consentsOf },
          strangers.map(({ recipient }) => recipient.identifier),
        )
      : [];
  const madeFor = new Map(strangers.map((one, at) => [one, made[at]!]));
  const contactSids = admitted.map((one) => one.contactSid ?? madeFor.get(one)!);
  await rememberChoices(
    t,
    admitted.flatMap((one, at) => choiceOf(one, contactSids[at]!)),
  );
  return contactSids;
}

function choiceOf({ draft, sender }: Admitted, contactSid: string): Choice[] {
  const poolSid = poolSidOf(draft);
  return poolSid === null ? [] : [{ poolSid, contactSid, senderSid: sender.sid }];
}
