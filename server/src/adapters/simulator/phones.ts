// The phones of customers, which the simulated provider plays too.
import type { Phone, PhoneScreen } from '@godwit/simulator';
import type { PhoneAnswer, SandboxPhones } from '../../modules/sandbox-phones/index.ts';
import { callControl } from './control.ts';

async function post<T>(
  baseUrl: string,
  path: string,
  body: object,
  read: (said: unknown) => T,
): Promise<PhoneAnswer<T>> {
  const answer = await callControl(baseUrl, 'The simulator', { method: 'POST', path, body });
  return answer.ok ? { ok: true, value: read(answer.said) } : answer;
}

/** The simulator hears of an account with the first call for it, and nobody may have made one yet. */
async function known<T>(
  { baseUrl, accessToken }: { baseUrl: string; accessToken: string },
  call: () => Promise<PhoneAnswer<T>>,
): Promise<PhoneAnswer<T>> {
  const told = await post(baseUrl, 'accounts', { token: accessToken }, () => null);
  return told.ok ? call() : told;
}

export const simulatedPhones: SandboxPhones = {
  list: ({ baseUrl }, wanted) =>
    post(baseUrl, 'phones/list', wanted, (said) => (said as { data: Phone[] }).data),
  read: ({ baseUrl }, wanted) => post(baseUrl, 'phones/read', wanted, (said) => said as PhoneScreen),
  write: (connection, message) =>
    known(connection, () => post(connection.baseUrl, 'inbound', message, () => null)),
  press: ({ baseUrl }, press) =>
    post(baseUrl, 'phones/press', press, (said) => (said as { refused?: PressRefusal }).refused ?? null),
  prefer: (connection, preference) =>
    known(connection, () => post(connection.baseUrl, 'preferences', preference, () => null)),
};

type PressRefusal = 'message' | 'button' | 'answer';
