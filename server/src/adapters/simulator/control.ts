// The control API of the simulator, which answers beside the simulated provider and asks for no token.
import { request } from 'undici';

const timeoutMs = 10_000;

export type ControlCall = { method: 'GET' | 'POST' | 'DELETE'; path: string; body?: object };

/** What it said, or why there is nothing; another attempt may go better where that says so. */
export type ControlAnswer = { ok: true; said: unknown } | { ok: false; retryable: boolean; reason: string };

export async function callControl(
  baseUrl: string,
  who: string,
  { method, path, body }: ControlCall,
): Promise<ControlAnswer> {
  try {
    const { statusCode, body: answer } = await request(`${baseUrl}/_control/${path}`, {
      method,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const said = (await answer.json()) as { error?: { message: string } };
    if (statusCode === 200) return { ok: true, said };
    const reason = said.error?.message ?? `${who} answered ${statusCode}.`;
    return { ok: false, retryable: statusCode >= 500, reason };
  } catch (error) {
    return { ok: false, retryable: true, reason: `${who} did not answer: ${(error as Error).message}` };
  }
}
