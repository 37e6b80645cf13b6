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
import { createTransport } from './transport.ts';

export function createProvider(): Provider & { close(): Promise<void> } {
  const transport = createTransport();
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
