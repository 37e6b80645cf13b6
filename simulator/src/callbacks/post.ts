import { type Agent, request } from 'undici';

type Post = { url: string; headers: Record<string, string>; text: string; timeoutMs: number };

/** Posts a callback; answers the HTTP status, or 0 when there was no answer. */
export async function post(agent: Agent, { url, headers, text, timeoutMs }: Post): Promise<number> {
  try {
    const answer = await request(url, {
      method: 'POST',
      dispatcher: agent,
      headers,
      body: text,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    await answer.body.dump();
    return answer.statusCode;
  } catch {
    return 0; // refused, broken off or too slow: all the same to the sender
  }
}
