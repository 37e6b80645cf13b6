// The simulated carrier of the sandbox, which answers beside the simulated provider.
import { request } from 'undici';
import type { NumberOrder, NumberVendor, VendorAnswer } from '../../modules/managed-onboarding/index.ts';

const timeoutMs = 10_000;

type Sent = { method: 'GET' | 'POST' | 'DELETE'; path: string; body?: object };

async function call<T>(
  baseUrl: string,
  { method, path, body }: Sent,
  read: (answer: unknown) => T,
): Promise<VendorAnswer<T>> {
  try {
    const { statusCode, body: answer } = await request(`${baseUrl}/_control/number-vendor/${path}`, {
      method,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const said = (await answer.json()) as { error?: { message: string } };
    if (statusCode === 200) return { by: 'vendor', value: read(said) };
    const reason = said.error?.message ?? `The carrier answered ${statusCode}.`;
    return { by: 'nobody', retryable: statusCode >= 500, reason };
  } catch (error) {
    return {
      by: 'nobody',
      retryable: true,
      reason: `The carrier did not answer: ${(error as Error).message}`,
    };
  }
}

const orderOf = (said: unknown): NumberOrder => {
  const { state, number, reason } = said as NumberOrder;
  return { state, number, reason };
};
const at = (reference: string) => `orders/${encodeURIComponent(reference)}`;

export const simulatedVendor: NumberVendor = {
  search: ({ baseUrl }, { country, wish }) => {
    const query = new URLSearchParams({ country, ...(wish !== null && { wish }) });
    return call(
      baseUrl,
      { method: 'GET', path: `numbers?${query}` },
      (said) => (said as { numbers: string[] }).numbers,
    );
  },
  order: ({ baseUrl }, body) => call(baseUrl, { method: 'POST', path: 'orders', body }, orderOf),
  portIn: ({ baseUrl }, body) => call(baseUrl, { method: 'POST', path: 'ports', body }, orderOf),
  status: ({ baseUrl }, reference) =>
    call(baseUrl, { method: 'GET', path: at(reference) }, (said) => {
      const { order } = said as { order: NumberOrder | null };
      return order && orderOf(order);
    }),
  readCode: ({ baseUrl }, reference) =>
    call(
      baseUrl,
      { method: 'GET', path: `${at(reference)}/code` },
      (said) => (said as { code: string | null }).code,
    ),
  release: ({ baseUrl }, reference) => call(baseUrl, { method: 'DELETE', path: at(reference) }, () => null),
};
