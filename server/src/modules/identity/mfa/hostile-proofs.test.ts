// Whatever a signed-in person sends as a proof, the answer is a declared one, and only a good proof gives a token.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { softwarePasskey } from '../../../../test/harness/authenticator.ts';
import { sharedLifetime } from '../../../../test/harness/lifetime.ts';
import { type Person, person } from '../../../../test/harness/people.ts';

const runs = 150;
let app: TestApp;
const lifetime = sharedLifetime();
before(async () => {
  app = await startTestApp(lifetime);
});

const beginPasskey = async (who: Person) =>
  (
    await app.post(
      `${app.at}/identity/mfa/enrollments`,
      { method: 'WEBAUTHN', providerKey: 'passkey' },
      who.headers,
    )
  ).body;

// Every test below spoils a good answer in one place, so that each look at it is reached.
const junk = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, '', '\u0000', '\ud800', [], {}, 'x'.repeat(3000)),
  fc.string({ unit: 'binary' }),
  fc.base64String().map((text) => text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')),
  fc.jsonValue({ maxDepth: 2 }),
);

type Spoil = { place: number; value: unknown; flip: number | null };
const spoil = fc.record({ place: fc.nat(), value: junk, flip: fc.option(fc.nat()) });

/** Replaces one field, or flips one byte inside one that is base64url. */
function spoiled(text: string, { place, value, flip }: Spoil): string {
  const credential = JSON.parse(text);
  const holders = [credential, credential.response];
  const fields = holders.flatMap((holder) => Object.keys(holder).map((name) => [holder, name] as const));
  const [holder, name] = fields[place % fields.length]!;
  // A signature's envelope can be written in several ways around the same two numbers, so it is replaced whole.
  if (flip === null || name === 'signature' || typeof holder[name] !== 'string') holder[name] = value;
  else {
    const bytes = Buffer.from(holder[name], 'base64url');
    if (bytes.length === 0) return text;
    bytes[flip % bytes.length]! ^= 1 << (flip % 8);
    holder[name] = bytes.toString('base64url');
  }
  return JSON.stringify(credential);
}

// Without attestation nothing vouches for a new key, so a person may register a broken one; it only proves nothing.
test(`${runs} spoiled registrations are refused, or add a factor that is of no use`, async () => {
  const who = await person(app, { factor: 'none' });
  await fc.assert(
    fc.asyncProperty(spoil, async (how) => {
      await app.sql('delete from mfa_credentials where user_sid = $1', [who.userSid]);
      const { id, ceremonyRef, publicKey } = await beginPasskey(who);
      const response = spoiled(softwarePasskey(app.url).create(publicKey), how).toWellFormed();
      fc.pre(response.length < 32_768);
      const path = `${app.at}/identity/mfa/enrollments/${id}/complete`;
      const reply = await app.post(path, { ceremonyRef, response }, who.headers);
      assert.ok([201, 400].includes(reply.status), `${reply.text} for ${response}`);
    }),
    { numRuns: runs },
  );
});

test(`${runs} spoiled assertions prove nothing`, async () => {
  const who = await person(app, { factor: 'none' });
  const passkey = softwarePasskey(app.url);
  const begun = await beginPasskey(who);
  const response = passkey.create(begun.publicKey);
  const path = `${app.at}/identity/mfa/enrollments/${begun.id}/complete`;
  assert.equal((await app.post(path, { ceremonyRef: begun.ceremonyRef, response }, who.headers)).status, 201);
  const action = 'API_KEY_CREATE';
  await fc.assert(
    fc.asyncProperty(spoil, async (how) => {
      await app.sql('delete from attempt_counters');
      const options = await app.post(`${app.at}/identity/mfa/verification-options`, { action }, who.headers);
      const good = passkey.get(options.body.publicKey);
      const assertion = spoiled(good, how);
      fc.pre(!provesTheSame(good, assertion) && assertion.length < 32_768);
      const proof = { action, method: 'WEBAUTHN', assertion: assertion.toWellFormed() };
      const reply = await app.post(`${app.at}/identity/step-up`, proof, who.headers);
      assert.equal(reply.status, 401, `${reply.text} for ${assertion}`);
    }),
    { numRuns: runs },
  );
  assert.equal(await app.count(`step_up_tokens where user_sid = '${who.userSid}'`), 0);
});

/** True when the change lies in what the client added beside, which nothing vouches for and nobody reads. */
function provesTheSame(good: string, other: string): boolean {
  const withoutExtensions = (text: string) => {
    const { clientExtensionResults: _, ...rest } = JSON.parse(text);
    return JSON.stringify(rest);
  };
  return withoutExtensions(good) === withoutExtensions(other);
}
