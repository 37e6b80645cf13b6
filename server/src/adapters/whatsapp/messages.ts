// Sending.
import type { Accepted, OutboundMessage, Provider } from '../../modules/provider/index.ts';
import { type Client, failed, succeeded } from './client.ts';
import { type Fields, fieldsOf, listOf, textOf } from './reading.ts';
import { messageBody } from './to-wire/message.ts';

export const messageCalls = (client: Client): Pick<Provider, 'send' | 'markRead'> => ({
  async send(connection, message, mayBegin) {
    let json: object;
    try {
      json = messageBody(message);
    } catch (error) {
      return failed('MESSAGE_BUILD_FAILED', (error as Error).message);
    }
    return client.call(connection, {
      method: 'POST',
      path: `${message.phoneNumberId}/${endpoints[message.transport]}`,
      json,
      doing: { purpose: 'send', ...('phone' in message.recipient && { recipient: message.recipient.phone }) },
      whenLost: 'unknown',
      ...(mayBegin && { mayBegin }),
      read: readAccepted,
    });
  },
  markRead: (connection, phoneNumberId, providerMessageId) =>
    client.call(connection, {
      method: 'POST',
      path: `${phoneNumberId}/messages`,
      json: { messaging_product: 'whatsapp', status: 'read', message_id: providerMessageId },
      doing: { purpose: 'manage' },
      whenLost: 'again',
      read: succeeded,
    }),
});

const endpoints: Record<OutboundMessage['transport'], string> = {
  cloud_api: 'messages',
  marketing_messages: 'marketing_messages',
};

function readAccepted(answer: Fields): Accepted | undefined {
  const message = fieldsOf(listOf(answer.messages)[0]);
  const contact = fieldsOf(listOf(answer.contacts)[0]);
  const providerMessageId = textOf(message.id);
  if (providerMessageId === null) return undefined;
  return {
    providerMessageId,
    waId: textOf(contact.wa_id),
    bsuid: textOf(contact.user_id),
    messageStatus: textOf(message.message_status),
  };
}
