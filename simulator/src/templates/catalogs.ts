// What a business sells: the catalogs connected to its account, their products, and whether a message offers what is there.
import { GraphError, unknownObject } from '../errors.ts';
import type { Call } from '../http/http.ts';
import { choose, pageOf } from '../http/listing.ts';
import type { Wire } from '../http/shape.ts';
import type { Sending } from '../messages/sending.ts';
import type { Product, Waba } from '../world.ts';

const mostProducts = 10_000;

/** Every catalog has them from the beginning: `sku-0` to `sku-99`. */
const samples = Array.from({ length: 100 }, (_, i) => ({
  id: `88${String(i).padStart(13, '0')}`,
  retailerId: `sku-${i}`,
  name: `Pot ${i}`,
}));

const addedTo = (waba: Waba, catalogId: string): Product[] =>
  waba.products.filter((product) => product.catalogId === catalogId);

function has(waba: Waba, catalogId: string, retailerId: string): boolean {
  const isIt = (product: { retailerId: string }) => product.retailerId === retailerId;
  return samples.some(isIt) || addedTo(waba, catalogId).some(isIt);
}

/** What a message offers: from a catalog it names, or from the number's. Of `some`, those that are unknown are left out. */
type Offer = { catalogId?: string; every?: string[]; some?: string[] };

const itemsOf = (sections: Wire[] = []): string[] =>
  sections.flatMap(({ product_items }) => product_items.map((item: Wire) => item.product_retailer_id));
const oneOf = (value: string | undefined): string[] => (value === undefined ? [] : [value]);

function inInteractive({ type, action }: Wire): Offer[] {
  switch (type) {
    case 'product':
      return [{ catalogId: action.catalog_id, every: [action.product_retailer_id] }];
    case 'product_list':
      return [{ catalogId: action.catalog_id, some: itemsOf(action.sections) }];
    case 'catalog_message':
      return [{ every: oneOf(action.parameters?.thumbnail_product_retailer_id) }];
    case 'carousel':
      return action.cards.flatMap((card: Wire) =>
        card.type === 'product'
          ? [{ catalogId: card.action.catalog_id, every: [card.action.product_retailer_id] }]
          : [],
      );
    default:
      return [];
  }
}

function inTemplate(components: Wire[] = []): Offer[] {
  return components.flatMap(({ sub_type, parameters = [], cards = [] }): Offer[] => [
    ...parameters.flatMap(({ product, action }: Wire): Offer[] => {
      if (product) return [{ catalogId: product.catalog_id, every: [product.product_retailer_id] }];
      if (!action || !['catalog', 'mpm'].includes(String(sub_type).toLowerCase())) return [];
      const every = oneOf(action.thumbnail_product_retailer_id);
      return [{ every, ...(action.sections && { some: itemsOf(action.sections) }) }];
    }),
    ...cards.flatMap((card: Wire) => inTemplate(card.components)),
  ]);
}

/** Throws when a message offers what the business does not sell. */
export function checkProducts({ waba, type, body }: Sending): void {
  const offers =
    type === 'interactive'
      ? inInteractive(body.interactive)
      : type === 'template'
        ? inTemplate(body.template.components)
        : [];
  for (const { catalogId = waba.catalogIds[0], every = [], some } of offers) {
    if (catalogId === undefined) throw new GraphError(131009, 'No catalog is connected to this account.');
    if (!waba.catalogIds.includes(catalogId))
      throw new GraphError(131009, `The catalog ${catalogId} is not connected to this account.`);
    const unknown = every.find((retailerId) => !has(waba, catalogId, retailerId));
    if (unknown !== undefined)
      throw new GraphError(131009, `There is no product "${unknown}" in the catalog ${catalogId}.`);
    if (some && !some.some((retailerId) => has(waba, catalogId, retailerId)))
      throw new GraphError(131009, `None of these products is in the catalog ${catalogId}.`);
  }
}

/** The account of this token that the catalog is connected to. */
function ownerOf({ simulation, tenant, id }: Call): Waba {
  for (const waba of simulation.world.wabas.values())
    if (waba.businessId === tenant.businessId && waba.catalogIds.includes(id)) return waba;
  throw unknownObject(id);
}

export function listProducts(call: Call) {
  const products = [...samples, ...addedTo(ownerOf(call), call.id)];
  const page = pageOf(
    call.request,
    products.map(({ id, retailerId, name }) => ({ id, retailer_id: retailerId, name })),
  );
  const data = page.data.map((one) => choose(one, call.fields.fields, ['retailer_id', 'name']));
  return { ...page, data };
}

export function addProduct(call: Call): { id: string } {
  const { simulation, fields, id: catalogId } = call;
  const waba = ownerOf(call);
  const retailerId = String(fields.retailer_id ?? '');
  if (retailerId === '' || retailerId.length > 100)
    throw new GraphError(100, 'retailer_id must have 1 to 100 characters.');
  if (has(waba, catalogId, retailerId)) throw new GraphError(100, 'A product with this retailer_id exists.');
  if (addedTo(waba, catalogId).length >= mostProducts)
    throw new GraphError(100, `A catalog here holds ${mostProducts} products.`);
  const id = simulation.random.id();
  const name = String(fields.name ?? retailerId).slice(0, 200);
  waba.products.push({ id, catalogId, retailerId, name });
  simulation.world.changed();
  return { id };
}
