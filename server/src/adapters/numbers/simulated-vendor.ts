// The simulated carrier of the sandbox, which answers beside the simulated provider.
import type { NumberOrder, NumberVendor, VendorAnswer } from '../../modules/managed-onboarding/index.ts';
import { type ControlCall, callControl } from '../simulator/control.ts';

async function call<T>(
  baseUrl: string,
  { path, ...call }: ControlCall,
  read: (answer: unknown) => T,
): Promise<VendorAnswer<T>> {
  const answer = await callControl(baseUrl, 'The carrier', { ...call, path: `number-vendor/${path}` });
  if (answer.ok) return { by: 'vendor', value: read(answer.said) };
  return { by: 'nobody', retryable: answer.retryable, reason: answer.reason };
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
