// `godwit trigger`: a sample event in the sandbox, as if it had happened.
import { createOutbound } from '../platform/outbound.ts';
import { openApi } from './api-client.ts';

export async function trigger(access: { baseUrl: string; key: string }, type: string): Promise<string> {
  const outbound = createOutbound({ allowPrivate: true });
  try {
    const api = await openApi(outbound, access);
    await api.post('/events/trigger', { type });
    return `${type} was emitted in the sandbox of ${api.accountSid}.`;
  } finally {
    await outbound.close();
  }
}
