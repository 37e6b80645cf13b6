// Takes messages in: reads them, judges them by the gates and stores those that pass. Many at once, each with its own
// end; what one message uses up is gone for the next.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { type Judged, judgeMember } from '../../../platform/http/input/batch-body.ts';
import { judgeBy } from '../../../platform/http/input/validation.ts';
import { audit } from '../../audit/index.ts';
import { consentsOf } from '../../consent/index.ts';
import { contactsFor } from '../../contacts/index.ts';
import { afterSends, countSends, type SendRoom } from '../../plans/index.ts';
import { type Choice, rememberChoices } from '../../senders/index.ts';
import type { Submission } from '../drafts/read-message.ts';
import { type Case, isUnusable, type Resolved } from '../gates/case.ts';
import { judge } from '../gates/judge.ts';
import { type Message, NewMessage } from '../schema.ts';
import type { Allowance } from './allowance.ts';
import { poolSidOf } from './choose-from-pools.ts';
import { openCases } from './open-cases.ts';
import { eachSound, type JudgedSubmission } from './sound-submissions.ts';
import { type Admitted, storeMessages } from './store-messages.ts';

const judgeBody = judgeBy(NewMessage);

/** A body that nobody has judged by its schema yet: as it is, or the error it is refused with. */
export const judgeMessage = (body: unknown): Judged<NewMessage> =>
  judgeMember(body, judgeBody) as Judged<NewMessage>;

type Options = {
  /** What they may cost together. */
  allowance?: Allowance | null;
};

/** As `admitMessages`, of bodies that were judged one by one: one that is wrong refuses nobody else. */
export async function admitEach(
  t: TenantTx,
  submissions: JudgedSubmission[],
  options: Options = {},
): Promise<(Message | ApiError)[]> {
  return eachSound(submissions, (sound) => admitMessages(t, sound, options));
}

/** The stored message of each submission in order, or why it was refused. */
export async function admitMessages(
  t: TenantTx,
  submissions: Submission[],
  { allowance = null }: Options = {},
): Promise<(Message | ApiError)[]> {
  const cases = await openCases(t, submissions, { toSend: true });
  const usage = new Usage(allowance);
  const judged = cases.map((one) => (one instanceof ApiError ? one : admit(one, usage)));
  const admitted = judged.filter((one): one is Admitted => !(one instanceof ApiError));
  const contactSids = await settlePeople(t, admitted);
  const [messages] = await Promise.all([storeMessages(t, admitted, contactSids), usage.countSends(t)]);
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
      words: ['reason'],
      principal: draft.author,
    });
  }
}

function admit(c: Case, usage: Usage): Admitted | ApiError {
  usage.applyTo(c);
  const { refusal, resolved } = judge(c, false);
  const refused = refusal ?? usage.refuses(c, resolved);
  if (refused) return refused;
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

/** What messages that were accepted before have used up of what later cases were loaded with. */
export class Usage {
  private readonly allowance: Allowance | null;
  private spentMinor = 0n;
  private sent = 0;
  /** What the plan left before the first of them; null where it limits no sending. */
  private sends: SendRoom | null = null;
  private readonly people = new Map<string, Set<string>>();

  constructor(allowance: Allowance | null) {
    this.allowance = allowance;
  }

  /** What no gate can judge: it is of the messages together. */
  refuses(c: Case, { quote }: Resolved): ApiError | null {
    return this.allowance?.refuses(c, quote!) ?? null;
  }

  applyTo(c: Case): void {
    const { sends } = c.account;
    if (sends) {
      this.sends ??= sends;
      c.account = { ...c.account, sends: afterSends(sends, this.sent) };
    }
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
    this.sent += 1;
    if (quote) this.allowance?.take(c, quote);
    // Where there is no limit nobody is counted, however many there are.
    if (!c.portfolio || c.portfolio.limit === null || c.window.open || c.portfolio.counted) return;
    const taken = this.people.get(c.portfolio.id) ?? new Set();
    this.people.set(c.portfolio.id, taken.add(personOf(c)));
  }

  async countSends(t: TenantTx): Promise<void> {
    if (this.sends) await countSends(t, this.sends, this.sent);
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
