// A migrated database and the key to its secrets: what every command needs.

import { mkdir } from 'node:fs/promises';
import { simulatorAppId } from '@godwit/simulator/app-id';
import type { Database, Outwait } from '../../platform/db/database.ts';
import { openDatabase } from '../../platform/db/open-database.ts';
import { type Patience, usualPatience } from '../../platform/db/pool.ts';
import { migrate } from '../../platform/db/setup/migrate.ts';
import { untilReached } from '../../platform/db/setup/reach-database.ts';
import { type KeyedHash, openKeyedHash } from '../../platform/http/key-secret.ts';
import type { Log } from '../../platform/observability/logging.ts';
import type { Site } from '../../platform/ports.ts';
import { type Sealer, withOwnSecrets } from '../../platform/sealing.ts';
import { type Config, liveOffer, remediationPurpose, sandboxOffer } from '../settings.ts';
import { checkedOutCommit } from './commit.ts';
import { openSealer, proveMasterKey } from './master-key.ts';

export type Core = {
  database: Database;
  sealer: Sealer;
  keyedHash: KeyedHash;
  databaseUrl: string;
  /** How long the database may leave a statement without an answer. */
  answerMs: number;
  site: () => Site;
  /** How this machine reaches the API, whatever PUBLIC_URL says. */
  localUrl: () => string;
  /** Told by the API once it listens: with PORT=0 nobody knows the port before. */
  listensOn(port: number): void;
  /** Told where the simulated provider answers, once it does. */
  simulatorAnswersAt(url: string): void;
  /** The same of the simulated payment service. */
  paymentsAnswerAt(url: string): void;
};

export async function openCore(
  config: Config,
  databaseUrl: string,
  log: Log,
  patience: Patience = {
    ...usualPatience,
    connectionMs: config.databaseWaitMs,
    answerMs: config.databaseAnswerMs,
  },
): Promise<Core> {
  await mkdir(config.dataDir, { recursive: true });
  await migrate(databaseUrl, (name) => log.debug({ migration: name }, 'migrated'));
  const sealer = withOwnSecrets(await openSealer(config.masterKey, config.dataDir), {
    [remediationPurpose]: config.pricingRemediationSecrets,
  });
  const { region, allowPrivateWebhooks: allowPrivateAddresses, databaseConnections: maxConnections } = config;
  const isPartner = config.partnerBusinessId !== null && config.partnerAccessToken !== null;
  const commit = await checkedOutCommit();
  let { port } = config;
  let simulatorUrl = config.simulatorUrl ?? `http://127.0.0.1:${simulatorPort(config)}`;
  let paymentsUrl = config.paymentSimulatorUrl ?? `http://127.0.0.1:${paymentSimulatorPort(config)}`;
  const site = () => ({
    publicUrl: config.publicUrl ?? `http://localhost:${port}`,
    region,
    allowPrivateAddresses,
    media: { retentionDays: config.mediaRetentionDays, fetchSeconds: config.mediaFetchSeconds },
    privacy: { erasureDelayMinutes: config.erasureDelayMinutes, backupDays: config.backupDays },
    partnerTerms: {
      live: isPartner ? config.partnerTermsVersion : null,
      sandbox: config.partnerTermsVersion,
    },
    managedOnboarding: { live: isPartner ? liveOffer(config) : null, sandbox: sandboxOffer },
    provider: {
      live: livePlace(config),
      sandbox: {
        baseUrl: simulatorUrl,
        apiVersion: config.sandboxApiVersion ?? config.providerApiVersion,
        appId: simulatorAppId,
        signupConfigId: 'sandbox',
        signupUrl: simulatorUrl,
      },
    },
    providerCanary: config.providerCanary,
    commit,
    payments: { live: config.paymentSecretKey === null ? null : config.paymentBaseUrl, sandbox: paymentsUrl },
  });
  const anywhere = config.host === '0.0.0.0' || config.host === '::';
  const localUrl = () => `http://${anywhere ? '127.0.0.1' : config.host}:${port}`;
  const database = openDatabase({
    url: databaseUrl,
    sealer,
    site,
    maxConnections,
    patience,
    outwait: loadedOutwait(),
    log,
  });
  let keyedHash: KeyedHash;
  try {
    await untilReached(() => proveMasterKey(database, sealer));
    keyedHash = await untilReached(() => openKeyedHash(database, sealer));
  } catch (error) {
    await database.close(); // an open connection would keep the process that failed from ending
    throw error;
  }
  const listensOn = (actual: number) => {
    port = actual;
  };
  const simulatorAnswersAt = (url: string) => {
    simulatorUrl = url;
  };
  const paymentsAnswerAt = (url: string) => {
    paymentsUrl = url;
  };
  const { answerMs } = patience;
  return {
    database,
    sealer,
    keyedHash,
    databaseUrl,
    answerMs,
    site,
    localUrl,
    listensOn,
    simulatorAnswersAt,
    paymentsAnswerAt,
  };
}

/** The hosted signup ends in a code that only the app itself can exchange. */
const livePlace = (config: Config): Site['provider']['live'] => ({
  baseUrl: config.providerBaseUrl,
  apiVersion: config.providerApiVersion,
  appId: config.providerAppId,
  signupUrl: config.providerSignupUrl,
  signupConfigId:
    config.providerAppId !== null && config.providerAppSecret !== null ? config.providerSignupConfigId : null,
});

/** Loaded when something is to be outwaited: it comes with most features, and most commands need few of them. */
function loadedOutwait(): Outwait {
  let loaded: Promise<Outwait> | undefined;
  return async (...given) => {
    loaded ??= import('../../modules/messages/index.ts').then(({ createOutwait }) => createOutwait());
    await (await loaded)(...given);
  };
}

/** The configured port, or the one after the API's: copies side by side need to agree on nothing. */
export const simulatorPort = ({ simulatorPort: chosen, port }: Config): number =>
  chosen ?? (port === 0 ? 0 : port + 1);

export const paymentSimulatorPort = ({ paymentSimulatorPort: chosen, port }: Config): number =>
  chosen ?? (port === 0 ? 0 : port + 2);
