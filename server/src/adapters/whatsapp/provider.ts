// The messaging provider, over HTTP. The same for the provider itself and for its simulator: only the connection differs.
import type { Provider } from '../../modules/provider/index.ts';
import { accountCalls } from './accounts.ts';
import { analyticsCalls } from './analytics.ts';
import { createClient } from './client.ts';
import { creditCalls } from './credit-lines.ts';
import { flowCalls } from './flows.ts';
import { mediaCalls } from './media.ts';
import { messageCalls } from './messages.ts';
import { phoneNumberCalls } from './phone-numbers.ts';
import { signupCalls } from './signup.ts';
import { subscriptionCalls } from './subscriptions.ts';
import { templateCalls } from './templates.ts';
import { createTransport, type HttpResult, type Transport } from './transport.ts';

type Headers = Extract<HttpResult, { kind: 'answer' }>['headers'];

/** Sees what every answer says of itself, and what was asked. */
type OnAnswer = (headers: Headers, asked: URL) => void;

export function createProvider(onAnswer?: OnAnswer): Provider & { close(): Promise<void> } {
  const transport = onAnswer ? observed(createTransport(), onAnswer) : createTransport();
  const client = createClient(transport);
  return {
    ...messageCalls(client),
    ...mediaCalls(client, transport),
    ...templateCalls(client),
    ...flowCalls(client),
    ...accountCalls(client),
    ...creditCalls(client),
    ...phoneNumberCalls(client),
    ...signupCalls(client),
    ...subscriptionCalls(client),
    ...analyticsCalls(client),
    close: () => transport.close(),
  };
}

const observed = (transport: Transport, onAnswer: OnAnswer): Transport => ({
  ...transport,
  async request(request) {
    const result = await transport.request(request);
    if (result.kind === 'answer') onAnswer(result.headers, request.url);
    return result;
  },
});
