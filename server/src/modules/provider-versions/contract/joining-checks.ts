// How a number comes to a business account: added, sent a code, verified.
import { randomInt } from 'node:crypto';
import type { Stage } from './check.ts';
import { type Check, given, holds, refusedWith, writing } from './check.ts';

/** What the simulated carrier always sends. */
const code = '123456';

/** No two runs add the same: a number is at one place at a time. */
const newNumber = () =>
  `157${randomInt(10 ** 8)
    .toString()
    .padStart(8, '0')}`;

async function add(stage: Stage): Promise<string> {
  const { provider, connection, wabaId } = stage;
  const number = { countryCode: '49', number: newNumber(), verifiedName: 'Contract', migrate: false };
  return given(await provider.addPhoneNumber(connection, wabaId, number)).phoneNumberId;
}

const bySms = { method: 'SMS', language: 'en_US' } as const;

export const joiningChecks: Check[] = [
  writing('number that is added is listed', async (stage) => {
    const { provider, connection, wabaId } = stage;
    const id = await add(stage);
    const { items } = given(await provider.listPhoneNumbers(connection, wabaId, null));
    holds(
      items.some((item) => item.id === id),
      `number ${id}`,
      items.map((item) => item.id),
    );
  }),
  writing('number is verified with the code it was sent', async (stage) => {
    const { provider, connection } = stage;
    const id = await add(stage);
    given(await provider.requestVerificationCode(connection, id, bySms));
    given(await provider.verifyPhoneNumber(connection, id, code));
  }),
  writing('number is not verified with another code', async (stage) => {
    const { provider, connection } = stage;
    const id = await add(stage);
    given(await provider.requestVerificationCode(connection, id, bySms));
    refusedWith(await provider.verifyPhoneNumber(connection, id, '000000'), 'REGISTRATION_ERROR');
  }),
];
