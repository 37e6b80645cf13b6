// What the provider says of the operator's credit line: with whom it is shared.
import type { OperationContext } from '../operations/index.ts';
import { answered, type CreditAllocation, type Page, Refused } from '../provider/index.ts';
import type { Partner } from './partner.ts';
import type { Switch } from './switches.ts';

/**
 * The allocation a business has, from before, through another of its accounts, or by an answer that was lost; or only the one of
 * that id.
 */
export async function findAllocation(
  { ports }: OperationContext,
  { connection }: Partner,
  { creditLineId, receivingBusinessId }: Switch,
  id: string | null = null,
): Promise<CreditAllocation | null> {
  let after: string | null = null;
  do {
    const page: Page<CreditAllocation> = answered(
      await ports.provider.listCreditAllocations(connection, creditLineId!, { receivingBusinessId, after }),
    );
    const found = page.items.find(
      (one) =>
        one.receivingBusinessId === receivingBusinessId &&
        one.requestStatus !== 'DELETED' &&
        (id === null || one.id === id),
    );
    if (found) return found;
    after = page.after;
  } while (after !== null);
  return null;
}

/**
 * How the provider says that the line is no longer shared by the allocation of a switch: in its own word, or, of an allocation it
 * knows no more, by not listing it. Null while it is shared. What it will not tell at all is thrown.
 */
export async function revocationOf(
  context: OperationContext,
  partner: Partner,
  found: Switch,
): Promise<'DELETED' | 'NOT_LISTED' | null> {
  const { provider } = context.ports;
  try {
    const { requestStatus } = answered(
      await provider.getCreditAllocation(partner.connection, found.allocationId!),
    );
    return requestStatus === 'DELETED' ? requestStatus : null;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    // The business may have been given the line anew since, by an allocation of another id.
    if (await findAllocation(context, partner, found, found.allocationId)) throw error;
    return 'NOT_LISTED';
  }
}
