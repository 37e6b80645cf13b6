// References made into the objects they name, where `expand[]` asks for it.
import { shownBalance } from '../objects/new-balance.ts';
import type { Payments } from '../objects/payments.ts';
import { invalid } from './problems.ts';

type Item = Record<string, unknown>;

const deepest = 4;

/** What can be expanded, by object. */
const expandable: Record<string, string[]> = {
  'checkout.session': ['customer', 'payment_intent', 'line_items'],
  payment_intent: ['customer', 'latest_charge', 'payment_method'],
  charge: ['balance_transaction', 'customer', 'failure_balance_transaction', 'payment_intent', 'refunds'],
  refund: [
    'balance_transaction',
    'charge',
    'customer',
    'failure_balance_transaction',
    'payment_intent',
    'payment_method',
  ],
  dispute: ['charge', 'payment_intent'],
  balance_transaction: ['source'],
  payment_method: ['customer'],
};

/** A copy of the object for the wire, with what is asked for. */
export function expanded(payments: Payments, object: object, paths: string[] = []): Item {
  const copy = structuredClone(object) as Item;
  for (const path of paths) {
    const parts = path.split('.');
    if (parts.length > deepest)
      throw invalid('You cannot expand more than 4 levels of a property.', 'expand');
    expandAt(payments, copy, parts, path);
  }
  return copy;
}

function expandAt(payments: Payments, object: Item, [name, ...rest]: string[], path: string): void {
  if (object.object === 'list') {
    if (name !== 'data') throw cannotExpand(path);
    if (rest.length > 0) for (const item of object.data as Item[]) expandAt(payments, item, rest, path);
    return;
  }
  if (!expandable[String(object.object)]?.includes(name!)) throw cannotExpand(path);
  const value = object[name!];
  if (typeof value === 'string') object[name!] = structuredClone(find(payments, value));
  else if (value === undefined) object[name!] = included(payments, object, name!);
  const inner = object[name!];
  if (rest.length > 0 && typeof inner === 'object' && inner !== null)
    expandAt(payments, inner as Item, rest, path);
}

const cannotExpand = (path: string) =>
  invalid(`This property cannot be expanded (${path.slice(0, 200)}).`, 'expand');

/** Lists that come along only when they are asked for. */
function included({ tables }: Payments, object: Item, name: string): unknown {
  const id = object.id as string;
  const lists: Record<string, () => [string, object[]]> = {
    line_items: () => [`/v1/checkout/sessions/${id}/line_items`, tables.plans.get(id)!.lineItems],
    refunds: () => [
      `/v1/charges/${id}/refunds`,
      [...tables.refunds.values()].filter(({ charge }) => charge === id).reverse(),
    ],
  };
  const found = lists[name]?.();
  return found && { object: 'list', data: structuredClone(found[1]), has_more: false, url: found[0] };
}

export function find(payments: Payments, id: string): object | string {
  const { tables } = payments;
  const balance = tables.balance.get(id);
  if (balance) return shownBalance(payments, balance);
  const { customers, methods, intents, charges, refunds, disputes } = tables;
  for (const table of [customers, methods, intents, charges, refunds, disputes]) {
    const found = table.get(id);
    if (found) return found;
  }
  return id;
}
