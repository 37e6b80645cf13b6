// A run of the contract suite: where it is made, and what is kept of it.
import type { Database } from '../../../platform/db/database.ts';
import type { Log } from '../../../platform/observability/logging.ts';
import type { Ports, Site } from '../../../platform/ports.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import type { Connection } from '../../provider/index.ts';
import { connectionOf, findLiveWaba, requireWaba, type Sandbox } from '../../wabas/index.ts';
import type { Probe } from '../ports.ts';
import type { Check, Stage } from './check.ts';
import { runChecks } from './run-contract.ts';
import { type ContractRun, storeRun } from './runs.ts';
import { digestOf, suite } from './suite.ts';

export type ContractContext = {
  database: Database;
  now: () => Date;
  log: Log;
  site: Site;
  ports: Pick<Ports, 'openProbe' | 'providerApp' | 'providerPartner'>;
  sandbox: Sandbox;
};

export type Tried = { livemode: boolean; version: string; checks?: readonly Check[] };

/** Nothing answers, or nothing can be asked: there is no evidence of anything. */
export class NotTried extends Error {}

export async function runContract(context: ContractContext, tried: Tried): Promise<ContractRun> {
  const { livemode, version, checks = suite } = tried;
  const probe = context.ports.openProbe();
  try {
    const startedAt = context.now();
    const canary = livemode && context.site.providerCanary !== null;
    const stage = canary
      ? await stageOnCanary(context, probe, version)
      : await stageInSandbox(context, probe, version);
    const results = await runChecks({ checks, probe, stage, readOnly: canary });
    return await context.database.system((s) =>
      storeRun(s, {
        ...results,
        livemode,
        version,
        suiteCommit: context.site.commit,
        suiteDigest: digestOf(checks),
        startedAt,
        finishedAt: context.now(),
      }),
    );
  } finally {
    await probe.close();
  }
}

/** A business account of its own, of which nobody is told: its callbacks would belong to nobody. */
async function stageInSandbox(
  { site, ports, sandbox, now }: ContractContext,
  { provider, byHand }: Probe,
  apiVersion: string,
): Promise<Stage> {
  const { baseUrl } = site.provider.sandbox;
  const { accessToken, wabaId, phoneNumbers } = sandbox.newWaba(['Contract']);
  const as = (token: string): Connection => ({ baseUrl, apiVersion, accessToken: token });
  const { businessId, accessToken: partnerToken } = ports.providerPartner.sandbox;
  const quiet = await provider.unsubscribe(as(accessToken), wabaId);
  if (!quiet.ok)
    throw new NotTried(`The simulator at ${baseUrl} does not take part: ${quiet.failure.reason}`);
  return {
    provider,
    connection: as(accessToken),
    wabaId,
    phoneNumberId: phoneNumbers[0]!.id,
    app: { baseUrl, apiVersion, ...ports.providerApp.sandbox },
    byHand,
    partner: { connection: as(partnerToken), businessId },
    now: now(),
  };
}

/** The operator's own live account. It is only read. */
async function stageOnCanary(
  { database, site, log, now }: ContractContext,
  { provider, byHand }: Probe,
  apiVersion: string,
): Promise<Stage> {
  const wabaSid = site.providerCanary!;
  const owner = await database.system((s) => findLiveWaba(s, wabaSid));
  if (!owner) throw new NotTried(`There is no live business account ${wabaSid}: see PROVIDER_CANARY_WABA.`);
  const request = {
    principal: systemPrincipal('provider contract', true),
    now: now(),
    requestId: 'provider contract',
    log,
  };
  const found = await database.read(owner, request, async (t) => ({
    connection: await connectionOf(t, wabaSid),
    wabaId: (await requireWaba(t, wabaSid)).providerWabaId,
  }));
  if (!found.connection) throw new NotTried(`The business account ${wabaSid} is not connected.`);
  const { baseUrl } = site.provider.live;
  const connection = { ...found.connection, baseUrl, apiVersion };
  const listed = await provider.listPhoneNumbers(connection, found.wabaId, null);
  if (!listed.ok)
    throw new NotTried(`The business account ${wabaSid} cannot be read: ${listed.failure.reason}`);
  const [number] = listed.value.items;
  if (!number) throw new NotTried(`The business account ${wabaSid} has no number.`);
  return {
    provider,
    connection,
    wabaId: found.wabaId,
    phoneNumberId: number.id,
    app: null,
    byHand,
    partner: null,
    now: now(),
  };
}
