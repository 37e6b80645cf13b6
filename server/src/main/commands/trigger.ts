// `godwit trigger`: a sample event in the sandbox, as if it had happened.
import { createClient } from '../../platform/outbound/outbound.ts';
import { openApi } from './api-client.ts';

export async function trigger(access: { baseUrl: string; key: string }, type: string): Promise<string> {
  const client = createClient({ allowPrivate: true });
  try {
    const api = await openApi(client, access);
    await api.post('/events/trigger', { type });
    return `${type} was emitted in the sandbox of ${api.accountSid}.`;
  } finally {
    await client.close();
  }
}
