// The one configuration, read once at start. A wrong variable stops the start with its name and what it should be.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ipaddr from 'ipaddr.js';
import { readHeaderList } from './http/input/header-list.ts';
import { parseMasterKeys } from './sealing.ts';

export type Config = {
  port: number;
  host: string;
  publicUrl: string | null;
  databaseUrl: string | null;
  dataDir: string;
  logLevel: string;
  masterKey: string | null;
  region: string;
  trustedProxies: string[];
  databaseConnections: number;
  databaseWaitMs: number;
  databaseAnswerMs: number;
  rateLimitStore: 'auto' | 'memory' | 'postgres';
  requestsPerSecond: number;
  /** Most requests that share one transaction, on the operations that let them. */
  requestsTogether: number;
  metricsToken: string | null;
  /** A development switch: what sandboxes call may be on this machine or a private network, also over http. Never live. */
  allowPrivateWebhooks: boolean;
  /** Null lays mail into a folder instead of sending it. */
  smtpUrl: string | null;
  mailFrom: string;
  providerBaseUrl: string;
  providerApiVersion: string;
  /** Our app at the provider: needed for live template headers. */
  providerAppId: string | null;
  /** Signs live callbacks; without both of these none are taken. */
  providerAppSecret: string | null;
  providerVerifyToken: string | null;
  /** Null takes the port after the API's. */
  simulatorPort: number | null;
  /** Where the simulated provider answers when it runs elsewhere. */
  simulatorUrl: string | null;
  /** Null keeps media in a folder below `dataDir`. */
  mediaStore: string | null;
  s3AccessKeyId: string | null;
  s3SecretAccessKey: string | null;
  mediaRetentionDays: number;
  mediaFetchSeconds: number;
  /** Null leaves malware to the built-in checks. */
  clamdUrl: string | null;
  /** Where a collector takes traces: the first is its base, the second the exact address. Null for both traces nothing. */
  otlpEndpoint: string | null;
  otlpTracesEndpoint: string | null;
  otlpHeaders: Record<string, string>;
  otelServiceName: string;
  /** The part of traces that is collected, from 0 to 1. */
  tracesRatio: number;
};

export class ConfigError extends Error {}

type Variable<T> = { name: string; fallback: string; means: string; read(text: string): T };

const defaultDataDir = join(fileURLToPath(new URL('../../../', import.meta.url)), '.godwit');

const words =
  <const W extends string>(...allowed: W[]) =>
  (text: string): W => {
    if (!allowed.includes(text as W)) throw new Error(`must be one of ${allowed.join(', ')}`);
    return text as W;
  };

const whole =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      throw new Error(`must be a whole number from ${least} to ${most}`);
    }
    return value;
  };

const url =
  (schemes: string[]) =>
  (text: string): string | null => {
    if (text === '') return null;
    const scheme = URL.canParse(text) ? new URL(text).protocol.slice(0, -1) : /^(\w+):\/\//.exec(text)?.[1];
    if (!scheme || !schemes.includes(scheme)) throw new Error(`must be a URL such as ${schemes[0]}://…`);
    return text.replace(/\/+$/, '');
  };

const optional = (text: string): string | null => text || null;

function collectorUrl(text: string): string | null {
  const known = url(['http', 'https'])(text);
  if (known === null) return null;
  if (!URL.canParse(known)) throw new Error('must be a URL such as http://…');
  if (new URL(known).username !== '')
    throw new Error('must name no user: credentials belong into OTEL_EXPORTER_OTLP_HEADERS');
  return known;
}

export const variables = {
  port: {
    name: 'PORT',
    fallback: '8080',
    means: 'Port to listen on; 0 takes a free one and prints it',
    read: whole(0, 65_535),
  },
  host: {
    name: 'HOST',
    fallback: '127.0.0.1',
    means: 'Address to listen on; 0.0.0.0 for every interface',
    read: (text) => text,
  },
  publicUrl: {
    name: 'PUBLIC_URL',
    fallback: '',
    means: 'How clients reach the service; default http://localhost:PORT',
    read: url(['https', 'http']),
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    fallback: '',
    means: 'PostgreSQL 16 or newer; without it, an embedded one in DATA_DIR',
    read: url(['postgres', 'postgresql']),
  },
  dataDir: {
    name: 'DATA_DIR',
    fallback: defaultDataDir,
    means: 'Folder of the embedded database and the master key; default .godwit',
    read: (text) => resolve(text),
  },
  logLevel: {
    name: 'LOG_LEVEL',
    fallback: 'info',
    means: 'trace, debug (every request), info, warn, error, fatal or silent',
    read: words('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  },
  masterKey: {
    name: 'MASTER_KEY',
    fallback: '',
    means:
      'Seals secrets: 32 bytes in base64; several, comma-separated, to rotate (the first seals). Default: made once, kept in DATA_DIR',
    read: (text) => {
      if (text === '') return null;
      try {
        parseMasterKeys(text);
      } catch {
        throw new Error(
          'must be 32 bytes in base64, which is 44 characters, or several such, comma-separated',
        );
      }
      return text;
    },
  },
  region: {
    name: 'REGION',
    fallback: 'local',
    means: 'Home region of new accounts, told by GET /v1/me',
    read: (text) => {
      if (!/^[a-z0-9-]{1,32}$/.test(text)) throw new Error('must be 1 to 32 of a-z, 0-9 and -');
      return text;
    },
  },
  trustedProxies: {
    name: 'TRUSTED_PROXIES',
    fallback: '',
    means: 'Addresses or CIDR ranges, comma-separated, whose X-Forwarded-For is believed',
    read: (text) => {
      const parts = text.split(',').map((part) => part.trim());
      const ranges = parts.filter(Boolean);
      if (!ranges.every((range) => ipaddr.isValid(range) || ipaddr.isValidCIDR(range))) {
        throw new Error('must be addresses or CIDR ranges, comma-separated, such as 10.0.0.0/8');
      }
      return ranges;
    },
  },
  databaseConnections: {
    name: 'DATABASE_CONNECTIONS',
    fallback: '20',
    means: 'Most connections one process opens for requests',
    read: whole(2, 500),
  },
  databaseWaitMs: {
    name: 'DATABASE_WAIT_MS',
    fallback: '1000',
    means: 'How long a request waits for a connection before it is answered 503',
    read: whole(100, 60_000),
  },
  databaseAnswerMs: {
    name: 'DATABASE_ANSWER_MS',
    fallback: '8000',
    means:
      'How long PostgreSQL may leave a statement unanswered before the request is answered 503; a statement may run for 5 s',
    read: whole(1_000, 600_000),
  },
  rateLimitStore: {
    name: 'RATE_LIMIT_STORE',
    fallback: 'auto',
    means: 'memory, postgres, or auto: in memory while one API process runs, shared when several do',
    read: words('auto', 'memory', 'postgres'),
  },
  requestsPerSecond: {
    name: 'REQUESTS_PER_SECOND',
    fallback: '100',
    means: 'Requests per second of a key, with bursts of twice as many',
    read: whole(1, 1_000_000),
  },
  requestsTogether: {
    name: 'REQUESTS_TOGETHER',
    fallback: '256',
    means: 'Most sends of one account that share a transaction; 1 gives each its own',
    read: whole(1, 1000),
  },
  metricsToken: {
    name: 'METRICS_TOKEN',
    fallback: '',
    means: 'Bearer token for /metrics; without it only this machine may read it',
    read: optional,
  },
  allowPrivateWebhooks: {
    name: 'ALLOW_PRIVATE_WEBHOOKS',
    fallback: 'false',
    means:
      'true lets what sandboxes call (webhooks, media, identity providers) reach loopback, private addresses and http; never live; for development',
    read: (text) => words('true', 'false')(text) === 'true',
  },
  smtpUrl: {
    name: 'SMTP_URL',
    fallback: '',
    means:
      'Mail server, such as smtps://user:password@mail.example.com; without it, mail is laid into DATA_DIR/outbox ("godwit outbox" shows it)',
    read: url(['smtps', 'smtp']),
  },
  mailFrom: {
    name: 'MAIL_FROM',
    fallback: 'Godwit <godwit@localhost>',
    means: 'Sender of mail: an address, or a name and an address in angle brackets',
    read: (text) => {
      if (!/^(?:[^"<>@\r\n]*<[^<>\s@]+@[^<>\s@]+>|[^<>\s@]+@[^<>\s@]+)$/.test(text)) {
        throw new Error('must be an address such as Godwit <no-reply@example.com>');
      }
      return text;
    },
  },
  providerBaseUrl: {
    name: 'PROVIDER_BASE_URL',
    fallback: 'https://graph.facebook.com',
    means: 'Where the messaging provider answers live calls',
    read: (text) => url(['https', 'http'])(text)!,
  },
  providerApiVersion: {
    name: 'PROVIDER_API_VERSION',
    fallback: 'v24.0',
    means: "Version of the provider's API",
    read: (text) => {
      if (!/^v\d{1,3}\.\d$/.test(text)) throw new Error('must be a version such as v24.0');
      return text;
    },
  },
  providerAppId: {
    name: 'PROVIDER_APP_ID',
    fallback: '',
    means: "This installation's app at the provider, for live template headers",
    read: optional,
  },
  providerAppSecret: {
    name: 'PROVIDER_APP_SECRET',
    fallback: '',
    means: "The app's secret, with which the provider signs live callbacks; without it none are taken",
    read: optional,
  },
  providerVerifyToken: {
    name: 'PROVIDER_VERIFY_TOKEN',
    fallback: '',
    means: 'The word the provider proves itself with when /provider/callbacks/live is registered',
    read: optional,
  },
  simulatorPort: {
    name: 'SIMULATOR_PORT',
    fallback: '',
    means: 'Port of the simulated provider behind every sandbox; 0 takes a free one. Default: PORT plus one',
    read: (text) => (text === '' ? null : whole(0, 65_535)(text)),
  },
  simulatorUrl: {
    name: 'SIMULATOR_URL',
    fallback: '',
    means: 'Where the simulated provider answers, when it runs elsewhere',
    read: url(['http', 'https']),
  },
  mediaStore: {
    name: 'MEDIA_STORE',
    fallback: '',
    means:
      'Where media is kept: file:///a/folder, or s3://bucket/prefix?endpoint=https://…&region=…; default DATA_DIR/media',
    read: url(['file', 's3']),
  },
  s3AccessKeyId: {
    name: 'S3_ACCESS_KEY_ID',
    fallback: '',
    means: 'Access key of the S3-compatible store named by MEDIA_STORE',
    read: optional,
  },
  s3SecretAccessKey: {
    name: 'S3_SECRET_ACCESS_KEY',
    fallback: '',
    means: 'Its secret',
    read: optional,
  },
  mediaRetentionDays: {
    name: 'MEDIA_RETENTION_DAYS',
    fallback: '30',
    means: 'How long media is kept; then it is EXPIRED and its content is removed',
    read: whole(1, 3_650),
  },
  mediaFetchSeconds: {
    name: 'MEDIA_FETCH_SECONDS',
    fallback: '60',
    means: 'How long fetching media from a URL may take, redirects included',
    read: whole(1, 600),
  },
  clamdUrl: {
    name: 'CLAMD_URL',
    fallback: '',
    means:
      'ClamAV daemon that scans media, tcp://host:3310 or unix:///path; while it does not answer, nothing becomes READY',
    read: url(['tcp', 'unix']),
  },
  otlpEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    fallback: '',
    means:
      'Collector of OpenTelemetry traces, by OTLP over HTTP, such as http://collector:4318; without it nothing is traced',
    read: collectorUrl,
  },
  otlpTracesEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    fallback: '',
    means: 'The exact address for traces, where it is not /v1/traces of the collector',
    read: collectorUrl,
  },
  otlpHeaders: {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    fallback: '',
    means: 'Headers for the collector: name=value, comma-separated, values percent-encoded',
    read: readHeaderList,
  },
  otelServiceName: {
    name: 'OTEL_SERVICE_NAME',
    fallback: 'godwit',
    means: 'What traces call this service',
    read: (text) => text,
  },
  tracesRatio: {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    fallback: '1',
    means: 'The part of traces that is collected, from 0 to 1',
    read: (text) => {
      const value = Number(text);
      if (!/^\d*\.?\d+$/.test(text) || value > 1) throw new Error('must be a number from 0 to 1');
      return value;
    },
  },
} satisfies { [K in keyof Config]: Variable<Config[K]> };

export function readConfig(environment: Record<string, string | undefined> = process.env): Config {
  const entries = Object.entries(variables).map(([field, { name, fallback, read }]) => {
    const given = environment[name]?.trim();
    try {
      return [field, read(given === undefined || given === '' ? fallback : given)];
    } catch (error) {
      throw new ConfigError(`${name} ${(error as Error).message}.`);
    }
  });
  return Object.fromEntries(entries);
}
