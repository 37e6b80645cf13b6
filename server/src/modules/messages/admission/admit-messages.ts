// Takes messages in: reads them, judges them by the gates and stores those that pass. Many at once, each with its own
// end; what one message uses up is gone for the next.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import type { Principal } from '../../../platform/principal.ts';
import { audit } from '../../audit/index.ts';
import { contactsFor } from '../../contacts/index.ts';
import type { Content } from '../../provider/index.ts';
import { type Choice, rememberChoices, type Sender } from '../../senders/index.ts';
import type { Draft } from '../drafts/read-message.ts';
import { type Case, isUnusable, type Recipient, type Resolved } from '../gates/case.ts';
import { judge } from '../gates/judge.ts';
import type { SendingHooks } from '../hooks.ts';
import type { Message } from '../schema.ts';
import { poolSidOf } from './choose-from-pools.ts';
import { openCases, type Submission } from './open-cases.ts';
import { storeMessages } from './store-messages.ts';

/** A message that passed every gate. */
export type Accepted = {
  draft: Draft;
  sender: Sender;
  recipient: Recipient;
  content: Content;
  contactSid: string;
  conversationSid: string | null;
  statusCallbackSid: string | null;
  portfolio: Case['portfolio'];
  windowOpen: boolean;
  resolved: Resolved;
  createdBy: Principal;
  /** Whose claim on the conversation was passed over, if anybody's. */
  passedOver: string | null;
};

/** The stored message of each submission in order, or why it was refused. */
export async function admitMessages(
  t: TenantTx,
  hooks: SendingHooks,
  submissions: Submission[],
): Promise<(Message | ApiError)[]> {
  const cases = await openCases(t, hooks, submissions, { toSend: true });
  const usage = new Usage();
  const judged = cases.map((one, at) =>
    one instanceof ApiError ? one : admit(one, usage, submissions[at]!.principal),
  );
  const passed = judged.filter((one): one is Passed => !(one instanceof ApiError));
  const messages = await storeMessages(t, await settlePeople(t, passed));
  auditOverrides(t, passed, messages);
  const messageOf = new Map(passed.map((one, at) => [one, messages[at]!]));
  return judged.map((one) => (one instanceof ApiError ? one : messageOf.get(one)!));
}

/** Sending into a conversation that somebody else was writing in is written down with its reason. */
function auditOverrides(t: TenantTx, passed: Passed[], messages: Message[]): void {
  for (const [at, { passedOver, draft, createdBy }] of passed.entries()) {
    if (passedOver === null) continue;
    const { sid: messageSid, conversationSid } = messages[at]!;
    audit(t, {
      action: 'composer_claim.overridden',
      resource: 'conversationSid' in draft.to ? draft.to.conversationSid : conversationSid!,
      facts: { heldBy: passedOver, reason: draft.composer.overrideReason, messageSid },
      principal: createdBy,
    });
  }
}

type Passed = Omit<Accepted, 'contactSid'> & { contactSid: string | null };

function admit(c: Case, usage: Usage, createdBy: Principal): Passed | ApiError {
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
    createdBy,
    passedOver: c.composer && !isUnusable(c.composer) && c.composer.overrides ? c.composer.heldBy : null,
  };
}

/** What the accepted messages of this batch have used up of what their cases were loaded with. */
class Usage {
  private spentMinor = 0n;
  private readonly people = new Map<string, Set<string>>();

  applyTo(c: Case): void {
    c.wallet = { ...c.wallet, availableMinor: c.wallet.availableMinor - this.spentMinor };
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

/** Strangers become contacts, and pools remember whom they chose. */
async function settlePeople(t: TenantTx, passed: Passed[]): Promise<Accepted[]> {
  const strangers = passed.filter(({ contactSid }) => contactSid === null);
  const made =
    strangers.length > 0
      ? await contactsFor(
          t,
          strangers.map(({ recipient }) => recipient.identifier),
        )
      : [];
  const contactOf = new Map(strangers.map((one, at) => [one, made[at]!]));
  const known = passed.map((one) => ({ ...one, contactSid: one.contactSid ?? contactOf.get(one)! }));
  await rememberChoices(t, known.flatMap(choiceOf));
  return known;
}

function choiceOf({ draft, contactSid, sender }: Accepted): Choice[] {
  const poolSid = poolSidOf(draft);
  return poolSid === null ? [] : [{ poolSid, contactSid, senderSid: sender.sid }];
}
