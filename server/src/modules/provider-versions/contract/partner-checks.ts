// The operator as partner: its credit line, what it pays for and what it is billed.
import { type Check, Differs, given, holds, type Stage, same, writing } from './check.ts';

const partnerOf = ({ partner }: Stage) => {
  if (!partner) throw new Differs('a partner', 'none');
  return partner;
};

async function creditLineOf(stage: Stage): Promise<string> {
  const { connection, businessId } = partnerOf(stage);
  const { creditLineIds } = given(await stage.provider.listCreditLines(connection, businessId));
  const [first] = creditLineIds;
  if (first === undefined) throw new Differs('a credit line', 'none');
  return first;
}

async function share(stage: Stage): Promise<string> {
  const { connection } = partnerOf(stage);
  const to = { wabaId: stage.wabaId, currency: 'USD' };
  const shared = await stage.provider.shareCreditLine(connection, await creditLineOf(stage), to);
  return given(shared).allocationId;
}

// They lend and bill money, so they are made where it is play money.
export const partnerChecks: Check[] = [
  writing('credit lines are listed', async (stage) => {
    await creditLineOf(stage);
  }),
  writing('credit line is shared, and read as shared', async (stage) => {
    const { connection } = partnerOf(stage);
    const id = await share(stage);
    same(given(await stage.provider.getCreditAllocation(connection, id)).id, id);
  }),
  writing('credit line that is shared pays for the account', async (stage) => {
    const { connection } = partnerOf(stage);
    const allocation = given(await stage.provider.getCreditAllocation(connection, await share(stage)));
    const { primaryFundingId } = given(await stage.provider.getFunding(connection, stage.wabaId));
    same(primaryFundingId, allocation.receivingCredentialId);
  }),
  writing('credit line that is shared is listed with its business', async (stage) => {
    const { connection } = partnerOf(stage);
    const id = await share(stage);
    const { receivingBusinessId } = given(await stage.provider.getCreditAllocation(connection, id));
    const which = { receivingBusinessId: receivingBusinessId ?? '', after: null };
    const { items } = given(
      await stage.provider.listCreditAllocations(connection, await creditLineOf(stage), which),
    );
    holds(
      items.some((item) => item.id === id),
      `allocation ${id}`,
      items.map((item) => item.id),
    );
  }),
  writing('credit line that was taken back says so', async (stage) => {
    const { connection } = partnerOf(stage);
    const id = await share(stage);
    given(await stage.provider.revokeCreditAllocation(connection, id));
    same(given(await stage.provider.getCreditAllocation(connection, id)).requestStatus, 'DELETED');
  }),
  writing('bills of the partner are listed', async (stage) => {
    const { connection, businessId } = partnerOf(stage);
    const month = (back: number) =>
      new Date(Date.UTC(stage.now.getUTCFullYear(), stage.now.getUTCMonth() - back));
    const span = { from: month(3), to: month(0), after: null };
    given(await stage.provider.listBusinessInvoices(connection, businessId, span));
  }),
];
