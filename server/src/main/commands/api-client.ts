// The command line as a client of a running service, wherever it is.
import { randomUUID } from 'node:crypto';
import { ConfigError } from '../../platform/config.ts';
import type { Client, OutboundRequest } from '../../platform/outbound/outbound.ts';

export type ApiClient = {
  accountSid: string;
  livemode: boolean;
  /** Below the account's own path. */
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: object): Promise<T>;
};

type Access = { baseUrl: string; key: string };
type Method = OutboundRequest['method'];

const timeoutMs = 30_000;
const maxResponseBytes = 64 * 1024 * 1024;

export async function openApi(client: Client, { baseUrl, key }: Access): Promise<ApiClient> {
  const call = async <T>(method: Method, path: string, body?: object): Promise<T> => {
    const result = await client.request({
      url: `${baseUrl}/v1${path}`,
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
      },
      ...(body && { body: JSON.stringify(body) }),
      timeoutMs,
      maxResponseBytes,
    });
    if (!result.ok) throw new Error(result.reason);
    const answer = JSON.parse(result.body.toString('utf8'));
    if (result.status < 300) return answer;
    const { message, retryable, details = [] } = answer.error;
    const told = [
      message,
      ...details.map((one: { path: string; issue: string }) => `${one.path} ${one.issue}`),
    ].join(' ');
    // What may heal by itself is no mistake of whoever typed the command.
    throw retryable ? new Error(told) : new ConfigError(told);
  };
  const { accountSid, livemode } = await call<{ accountSid: string; livemode: boolean }>('GET', '/me');
  const at = `/accounts/${accountSid}`;
  return {
    accountSid,
    livemode,
    get: (path) => call('GET', at + path),
    post: (path, body) => call('POST', at + path, body),
  };
}
