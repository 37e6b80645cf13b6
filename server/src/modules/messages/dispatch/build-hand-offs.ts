// From a message to what the provider is asked to send: the content with its file and flow named, and what it answers.
import type { TenantTx } from '../../../platform/db/database.ts';
import { isSid } from '../../../platform/ids.ts';
import { type Connection, type Content, fieldOfType, type OutboundMessage } from '../../provider/index.ts';
import type { Sender } from '../../senders/index.ts';
import { findFlows } from '../../templates/index.ts';
import { mediaIn } from '../drafts/media-in-content.ts';
import type { LiveMessage } from '../states/live-messages.ts';
import { providerIdsOf } from '../states/provider-names.ts';

export type HandOff = {
  message: LiveMessage;
  connection: Connection;
  /** Without the provider's names of its files until those are known. */
  outbound: OutboundMessage;
  mediaSids: string[];
};

type Way = { sender: Sender; connection: Connection };

/** `broken` are those that speak of a message or a flow the provider does not know. */
export async function buildHandOffs(
  t: TenantTx,
  messages: LiveMessage[],
  { sender, connection }: Way,
): Promise<{ handOffs: HandOff[]; broken: LiveMessage[] }> {
  const drafts = messages.map((message) => ({ message, content: contentOf(message) }));
  const targets = drafts.flatMap(({ message, content }) => [...repliesIn(message), ...reactionsIn(content)]);
  const [names, flows] = await Promise.all([
    providerIdsOf(t, [...new Set(targets.filter((target) => isSid('SM', target)))]),
    flowIds(
      t,
      drafts.flatMap(({ content }) => flowsIn(content)),
    ),
  ]);
  const nameOf = (target: string) => (isSid('SM', target) ? names.get(target) : target);
  const handOffs: HandOff[] = [];
  const broken: LiveMessage[] = [];
  for (const { message, content } of drafts) {
    const [replied] = repliesIn(message);
    const replyTo = replied === undefined ? null : nameOf(replied);
    const named = withTarget(content, nameOf);
    if (replyTo === undefined || !named || !flowsIn(content).every((sid) => flows.has(sid))) {
      broken.push(message);
      continue;
    }
    const outbound = {
      phoneNumberId: sender.providerPhoneNumberId!,
      transport: message.transport!,
      recipient: message.identifierType === 'bsuid' ? { bsuid: message.address } : { phone: message.address },
      content: named,
      mediaIds: new Map<string, string>(),
      flowIds: flows,
      replyTo,
      opaque: message.sid,
    };
    const mediaSids = [...new Set(mediaIn(content).map(({ sid }) => sid))];
    handOffs.push({ message, connection, outbound, mediaSids });
  }
  return { handOffs, broken };
}

const contentOf = ({ type, content }: LiveMessage) =>
  ({ type, [fieldOfType[type as keyof typeof fieldOfType]]: content }) as unknown as Content;

function repliesIn({ extras: { context } }: LiveMessage): string[] {
  const target = context?.replyToMessageId ?? context?.providerMessageId;
  return typeof target === 'string' ? [target] : [];
}

const reactionsIn = (content: Content) =>
  content.type === 'reaction' ? [content.reaction.targetMessageId] : [];

const flowsIn = (content: Content) => (content.type === 'flow' ? [content.flow.flowSid] : []);

/** The content with the provider's name of the message it reacts to; null when it has none. */
function withTarget(content: Content, nameOf: (target: string) => string | undefined): Content | null {
  if (content.type !== 'reaction') return content;
  const targetMessageId = nameOf(content.reaction.targetMessageId);
  return targetMessageId === undefined
    ? null
    : { ...content, reaction: { ...content.reaction, targetMessageId } };
}

async function flowIds(t: TenantTx, sids: string[]): Promise<ReadonlyMap<string, string>> {
  if (sids.length === 0) return new Map();
  const flows = await findFlows(t, [...new Set(sids)]);
  return new Map(
    [...flows.values()].flatMap(({ sid, providerFlowId }) => (providerFlowId ? [[sid, providerFlowId]] : [])),
  );
}
