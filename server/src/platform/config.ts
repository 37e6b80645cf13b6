// How settings are read from the environment, and those of the platform itself. Features declare theirs in a `settings.ts`;
// main puts all of them together and reads them once at start. A wrong one stops the start with its name and what it should be.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ipaddr from 'ipaddr.js';
import { readHeaderList } from './http/input/header-list.ts';
import { parseMasterKeys } from './sealing.ts';

export class ConfigError extends Error {}

/** One setting: the name of its environment variable, what it is without one, what it means and how it is read. */
export type Variable<T> = { name: string; fallback: string; means: string; read(text: string): T };

const defaultDataDir = join(fileURLToPath(new URL('../../../', import.meta.url)), '.godwit');

export const words =
  <const W extends string>(...allowed: W[]) =>
  (text: string): W => {
    if (!allowed.includes(text as W)) throw new Error(`must be one of ${allowed.join(', ')}`);
    return text as W;
  };

export const whole =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      throw new Error(`must be a whole number from ${least} to ${most}`);
    }
    return value;
  };

export const url =
  (schemes: string[]) =>
  (text: string): string | null => {
    if (text === '') return null;
    const scheme = URL.canParse(text) ? new URL(text).protocol.slice(0, -1) : /^(\w+):\/\//.exec(text)?.[1];
    if (!scheme || !schemes.includes(scheme)) throw new Error(`must be a URL such as ${schemes[0]}://…`);
    return text.replace(/\/+$/, '');
  };

export const optional = (text: string): string | null => text || null;

function collectorUrl(text: string): string | null {
  const known = url(['http', 'https'])(text);
  if (known === null) return null;
  if (!URL.canParse(known)) throw new Error('must be a URL such as http://…');
  if (new URL(known).username !== '')
    throw new Error('must name no user: credentials belong into OTEL_EXPORTER_OTLP_HEADERS');
  return known;
}

export const platformVariables = {
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
    means: 'Most sends that share a transaction; 1 gives each its own, and other writes too',
    read: whole(1, 1000),
  },
  metricsToken: {
    name: 'METRICS_TOKEN',
    fallback: '',
    means: 'Bearer token for /metrics; without it only this machine may read it',
    read: optional,
  },
} satisfies Variables;

export const tracingVariables = {
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
} satisfies Variables;

type Variables = Record<string, Variable<unknown>>;
export type Read<V extends Variables> = { [K in keyof V]: ReturnType<V[K]['read']> };

export function readVariables<V extends Variables>(
  variables: V,
  environment: Record<string, string | undefined> = process.env,
): Read<V> {
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
