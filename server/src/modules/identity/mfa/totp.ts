// One-time codes by the clock (RFC 6238), as authenticator apps make them: SHA-1, six digits, a new code every 30 seconds.
import { generateSecret, generateSync, generateURI, verifySync } from 'otplib';

const periodSeconds = 30;
const form = { algorithm: 'sha1', digits: 6, period: periodSeconds } as const;

export const newTotpSecret = (): string => generateSecret();

/** What an authenticator app reads from a QR code. */
export function otpauthUri(issuer: string, label: string, secret: string): string {
  return generateURI({ ...form, issuer, label, secret });
}

export const totpStep = (now: Date): number => Math.floor(now.getTime() / 1000 / periodSeconds);

/** The step a code belongs to, if it is right now or was one step ago, or will be in one: phones' clocks are not exact. */
export function stepOfCode(secret: string, code: string, now: Date): number | null {
  const token = code.replaceAll(/\s/g, '');
  if (!/^[0-9]{6}$/.test(token)) return null;
  const epoch = Math.floor(now.getTime() / 1000);
  const verdict = verifySync({ ...form, secret, token, epoch, epochTolerance: periodSeconds });
  return verdict.valid ? totpStep(now) + verdict.delta : null;
}

/** The code of a moment. */
export function totpCode(secret: string, now: Date): string {
  return generateSync({ ...form, secret, epoch: Math.floor(now.getTime() / 1000) });
}
