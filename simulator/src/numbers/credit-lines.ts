// The credit line of the solution partner: shared with a business, attached to its WABAs, revoked again. One sharing joins two
// businesses: all WABAs of the business hang on it, and all of them lose it together.
import { GraphError, unknownObject } from '../errors.ts';
import { sandboxPartner } from '../http/access-token.ts';
import type { Call } from '../http/http.ts';
import { choose, pageOf } from '../http/listing.ts';
import type { Simulation } from '../simulation.ts';
import { type CreditAllocation, requireWaba, type Tenant, type Waba, type World } from '../world.ts';

/** What the provider invoices in. */
const currencies = ['AUD', 'EUR', 'GBP', 'IDR', 'INR', 'USD'];

export const isPartner = ({ businessId }: Tenant) => businessId === sandboxPartner.businessId;

/** The partner sees the WABAs of its customers; everybody else their own. */
export const requireReadableWaba = (world: World, tenant: Tenant, id: string): Waba =>
  isPartner(tenant) ? world.wabas.get(id)! : requireWaba(world, tenant, id);

/** Which credential pays for a WABA is shown to the partner only; without one the field is absent. */
export const fundingOf = (tenant: Tenant, { primaryFundingId }: Waba) =>
  isPartner(tenant) && primaryFundingId !== null ? { primary_funding_id: primaryFundingId } : {};

export function listCreditLines({ tenant, id, fields, request }: Call) {
  if (id !== tenant.businessId) throw unknownObject(id);
  const lines = isPartner(tenant)
    ? [{ id: sandboxPartner.creditLineId, legal_entity_name: 'Sandbox Partner Ltd' }]
    : [];
  return pageOf(
    request,
    lines.map((line) => choose(line, fields.fields, [])),
  );
}

function requireLine({ tenant, id }: Call): void {
  if (!isPartner(tenant) || id !== sandboxPartner.creditLineId) throw unknownObject(id);
}

/** The sharings in force; those that were revoked are read one by one. */
export function listAllocations(call: Call) {
  requireLine(call);
  const { simulation, fields, request } = call;
  const receiving = fields.receiving_business_id;
  const active = [...simulation.world.allocations.values()].filter(
    ({ requestStatus, receivingBusinessId }) =>
      requestStatus !== 'DELETED' && (receiving === undefined || receivingBusinessId === String(receiving)),
  );
  return pageOf(
    request,
    active.map((allocation) => viewOf(allocation, fields.fields)),
  );
}

export function requireAllocation(world: World, tenant: Tenant, id: string): CreditAllocation {
  const found = world.allocations.get(id);
  if (!found || !isPartner(tenant)) throw unknownObject(id);
  return found;
}

export const readAllocation = ({ fields }: Call, allocation: CreditAllocation) =>
  viewOf(allocation, fields.fields);

function viewOf({ id, receivingBusinessId, ...allocation }: CreditAllocation, fields: unknown) {
  const view = {
    id,
    liability_type: 'NORMAL',
    owning_business: { id: sandboxPartner.businessId, name: 'Sandbox Partner Ltd' },
    owning_credential: { id: sandboxPartner.creditLineId },
    receiving_business: { id: receivingBusinessId, name: 'Sandbox' },
    receiving_credential: { id: allocation.receivingCredentialId },
    request_status: allocation.requestStatus,
  };
  return choose(view, fields, ['receiving_business', 'request_status']);
}

/** Shares the line with the business of the WABA, unless it has it, and lets it pay for the WABA. */
export function shareAndAttach(call: Call) {
  requireLine(call);
  const { simulation, fields } = call;
  const { world, random } = simulation;
  const { waba_currency: currency, waba_id: wabaId } = fields;
  if (wabaId === undefined) throw new GraphError(100, 'The parameter waba_id is required.');
  if (!currencies.includes(currency))
    throw new GraphError(100, `Param waba_currency must be one of {${currencies.join(', ')}}.`);
  const waba = world.wabas.get(String(wabaId));
  if (!waba) throw unknownObject(String(wabaId));
  const allocation = activeFor(world, waba.businessId) ?? {
    id: random.id(),
    receivingBusinessId: waba.businessId,
    receivingCredentialId: random.id(),
    requestStatus: 'APPROVED' as const,
  };
  world.allocations.set(allocation.id, allocation);
  afterCreditDelay(simulation, () => {
    if (allocation.requestStatus === 'DELETED') return;
    waba.currency = currency;
    waba.primaryFundingId = allocation.receivingCredentialId;
  });
  return { allocation_config_id: allocation.id, waba_id: waba.id };
}

const activeFor = (world: World, businessId: string) =>
  [...world.allocations.values()].find(
    ({ receivingBusinessId, requestStatus }) =>
      receivingBusinessId === businessId && requestStatus !== 'DELETED',
  );

export function revokeAllocation(call: Call) {
  const { simulation, tenant, id } = call;
  const { world } = simulation;
  const allocation = requireAllocation(world, tenant, id);
  if (allocation.requestStatus === 'DELETED')
    throw new GraphError(100, 'The credit line is no longer shared by this allocation.');
  afterCreditDelay(simulation, () => {
    allocation.requestStatus = 'DELETED';
    for (const waba of world.wabas.values())
      if (waba.primaryFundingId === allocation.receivingCredentialId) waba.primaryFundingId = null;
  });
  return { success: true };
}

/** What was asked for shows when the provider has done it, which may take a while. */
function afterCreditDelay({ settings, timeline, world }: Simulation, work: () => void): void {
  const done = () => {
    work();
    world.changed();
  };
  if (settings.creditDelayMs === 0) done();
  else timeline.after(settings.creditDelayMs, done, { lasting: true });
}
