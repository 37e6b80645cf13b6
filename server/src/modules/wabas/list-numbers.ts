import type { Ports } from '../../platform/ports.ts';
import { answerOf, type Connection, type Page, type ProviderPhoneNumber } from '../provider/index.ts';

/** All numbers of a business account, as the provider lists them now. */
export async function listNumbers(
  { ports }: { ports: Pick<Ports, 'provider'> },
  connection: Connection,
  wabaId: string,
): Promise<ProviderPhoneNumber[]> {
  const numbers: ProviderPhoneNumber[] = [];
  let after: string | null = null;
  do {
    const page: Page<ProviderPhoneNumber> = answerOf(
      await ports.provider.listPhoneNumbers(connection, wabaId, after),
    );
    numbers.push(...page.items);
    after = page.after;
  } while (after !== null);
  return numbers;
}
