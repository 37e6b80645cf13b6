// The catalogs a content names, each with the place it is named at.
import type { Content } from '../../provider/index.ts';

type Mention = { catalogId: string; path: string };

const named = (path: string, { catalogId }: { catalogId: string }): Mention[] => [
  { catalogId, path: `${path}.catalogId` },
];
const cardsIn = (path: string, { cards }: { cards: { catalogId: string }[] }) =>
  cards.flatMap((card, at) => named(`${path}.cards[${at}]`, card));

export function catalogsIn(content: Content): Mention[] {
  switch (content.type) {
    case 'catalog':
      return named('catalog', content.catalog);
    case 'product':
      return named('product', content.product);
    case 'product_list':
      return named('productList', content.productList);
    case 'carousel':
      return cardsIn('carousel', content.carousel);
    case 'interactive':
      if (content.interactive.subtype === 'product_list') return named('interactive', content.interactive);
      return content.interactive.subtype === 'carousel' ? cardsIn('interactive', content.interactive) : [];
    case 'template':
      return (content.template.components ?? []).flatMap(({ parameters = [] }, component) =>
        parameters.flatMap((parameter, at) =>
          parameter.type === 'product'
            ? named(`template.components[${component}].parameters[${at}]`, parameter)
            : [],
        ),
      );
    default:
      return [];
  }
}
