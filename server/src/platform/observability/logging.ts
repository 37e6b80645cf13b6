// Logs name routes, SIDs, statuses and durations, never bodies. What might still carry a secret is blotted out here.
import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

const secretNames = [
  'authorization',
  'cookie',
  'set-cookie',
  'x-service-signature',
  'x-csrf-token',
  'x-step-up-token',
  'password',
  'currentPassword',
  'newPassword',
  'signInToken',
  'csrfToken',
  'smtpUrl',
  'dkimPrivateKey',
  'secret',
  'signingSecret',
  'stepUpToken',
  'token',
  'key',
  'masterKey',
  'appSecret',
  'verifyToken',
  'accessToken',
  'providerAppSecret',
  'providerVerifyToken',
  'databaseUrl',
  'otlpHeaders',
];

const redactedPaths = secretNames.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);

export function createLog(level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    redact: { paths: redactedPaths, censor: '[redacted]' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return destination ? pino(options, destination) : pino(options);
}

export const silentLog: Log = pino({ level: 'silent' });
