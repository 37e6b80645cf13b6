// A passkey in software, for tests: it makes a key pair and signs as an authenticator and browser would, and it lies
// where a test tells it to.
import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';

export type Lies = {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  crossOrigin?: boolean;
  userPresent?: boolean;
  userVerified?: boolean;
  counter?: number;
  /** Signs with another key than the one that was registered. */
  foreignKey?: boolean;
  id?: string;
  /** The attestation of a registration; `none` unless told otherwise. */
  attestation?: { fmt: string; statement: Map<string, unknown> };
};

type Options = { challenge: string; rp?: { id?: string }; rpId?: string };

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest();
const url64 = (data: Buffer) => data.toString('base64url');

export function softwarePasskey(origin: string) {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32);
  let counter = 0;

  const clientData = (type: string, options: Options, lies: Lies) =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? options.challenge,
        origin: lies.origin ?? origin,
        crossOrigin: lies.crossOrigin ?? false,
      }),
    );
  const authenticatorData = (options: Options, lies: Lies, attested: Buffer) => {
    const rpId = lies.rpId ?? options.rpId ?? options.rp?.id ?? '';
    const flags =
      (lies.userPresent === false ? 0 : 0x01) |
      (lies.userVerified === false ? 0 : 0x04) |
      (attested.length > 0 ? 0x40 : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(lies.counter ?? counter);
    return Buffer.concat([sha256(rpId), Buffer.of(flags), count, attested]);
  };

  return {
    id: url64(id),
    /** What `navigator.credentials.create` would give, as JSON text. */
    create(options: Options, lies: Lies = {}): string {
      const { x, y } = key.publicKey.export({ format: 'jwk' });
      const cose = cbor(
        new Map<number, unknown>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, Buffer.from(x!, 'base64url')],
          [-3, Buffer.from(y!, 'base64url')],
        ]),
      );
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.of(0, id.length), id, cose]);
      const { fmt, statement } = lies.attestation ?? { fmt: 'none', statement: new Map() };
      const attestationObject = cbor(
        new Map<string, unknown>([
          ['fmt', fmt],
          ['attStmt', statement],
          ['authData', authenticatorData(options, lies, attested)],
        ]),
      );
      return JSON.stringify({
        id: lies.id ?? url64(id),
        rawId: lies.id ?? url64(id),
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: url64(clientData('webauthn.create', options, lies)),
          attestationObject: url64(attestationObject),
          transports: ['internal'],
        },
      });
    },
    /** What `navigator.credentials.get` would give, as JSON text. Each use counts one further. */
    get(options: Options, lies: Lies = {}): string {
      counter += 1;
      const client = clientData('webauthn.get', options, lies);
      const data = authenticatorData(options, lies, Buffer.alloc(0));
      const signer = createSign('sha256').update(Buffer.concat([data, sha256(client)]));
      return JSON.stringify({
        id: lies.id ?? url64(id),
        rawId: lies.id ?? url64(id),
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: url64(client),
          authenticatorData: url64(data),
          signature: url64(signer.sign((lies.foreignKey ? other : key).privateKey)),
        },
      });
    },
  };
}

/** The little of CBOR (RFC 8949) that authenticators speak. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  const entries = [...(value as Map<unknown, unknown>)];
  return Buffer.concat([head(5, entries.length), ...entries.flat().map(cbor)]);
}

function head(major: number, size: number): Buffer {
  if (size < 24) return Buffer.of((major << 5) | size);
  return size < 256
    ? Buffer.of((major << 5) | 24, size)
    : Buffer.of((major << 5) | 25, size >> 8, size & 0xff);
}
