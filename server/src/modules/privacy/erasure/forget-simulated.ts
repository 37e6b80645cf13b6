// In a sandbox the provider is a simulator, which is told to forget the person too.
import type { Person, PersonIdentifier } from '../../../platform/belongings.ts';
import type { TenantTx } from '../../../platform/db/database.ts';
import { findOwners, type Identifier } from '../../contacts/index.ts';
import type { OperationContext } from '../../operations/index.ts';
import { providerWabaIds } from '../../wabas/index.ts';
import { openPerson } from './progress.ts';

/** Whether it has forgotten them. Telling it again changes nothing, so that work which begins anew may. */
export async function forgetSimulated(
  { read, ports, site, log }: OperationContext,
  requestSid: string,
): Promise<boolean> {
  const { names, wabaIds } = await read(async (t) => ({
    names: await unownedNames(t, (await openPerson(t, requestSid))!),
    wabaIds: await providerWabaIds(t),
  }));
  const { baseUrl } = site.provider.sandbox;
  for (const from of wabaIds.length === 0 ? [] : names) {
    const answer = await ports.simulatedPeople.forget({ baseUrl }, { from, wabaIds });
    if (answer.ok) continue;
    log.warn({ requestSid, reason: answer.reason }, 'the simulator was not told of an erasure');
    return false;
  }
  return true;
}

/** What the provider knows them by. Whoever has come by it since is somebody new, and is not forgotten. */
async function unownedNames(t: TenantTx, { identifiers }: Person): Promise<string[]> {
  const names: string[] = [];
  for (const identifier of identifiers.filter(isKnownToProvider)) {
    const { identifierType, value, scopeRef } = identifier as Identifier;
    const owners = await findOwners(t, { identifierType, scopeRef, values: [value] });
    if (owners.length === 0) names.push(value);
  }
  return names;
}

const isKnownToProvider = ({ identifierType }: PersonIdentifier) =>
  identifierType === 'phone_e164' || identifierType === 'bsuid';
