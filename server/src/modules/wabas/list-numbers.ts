import type { Ports } from '../../platform/ports.ts';
import {
  type Answered,
  answerOf,
  type Connection,
  type Page,
  type ProviderPhoneNumber,
} from '../provider/index.ts';

type Numbers = Page<ProviderPhoneNumber>;

/** All numbers of a business account, as the provider lists them now; `read` says what an answer that is none comes to. */
export async function listNumbers(
  { ports }: { ports: Pick<Ports, 'provider'> },
  connection: Connection,
  wabaId: string,
  read: (answer: Answered<Numbers>) => Numbers = answerOf,
): Promise<ProviderPhoneNumber[]> {
  const numbers: ProviderPhoneNumber[] = [];
  let after: string | null = null;
  do {
    const page: Numbers = read(await ports.provider.listPhoneNumbers(connection, wabaId, after));
    numbers.push(...page.items);
    after = page.after;
  } while (after !== null);
  return numbers;
}
