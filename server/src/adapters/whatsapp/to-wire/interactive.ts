// Interactive messages as the provider writes them. Several types of ours are interactive on the wire.
import type { ContentObjects } from '../../../modules/provider/index.ts';

type Interactive = ContentObjects['interactive'];
type Of<S extends Interactive['subtype']> = Extract<Interactive, { subtype: S }>;

const text = (value: string) => ({ text: value });
const footerOf = (footer: string | undefined) => (footer ? { footer: text(footer) } : {});

const builders: { [S in Interactive['subtype']]: (content: Of<S>) => object } = {
  button: ({ body, footer, buttons }) => ({
    type: 'button',
    body: text(body),
    ...footerOf(footer),
    action: { buttons: buttons.map(({ id, title }) => ({ type: 'reply', reply: { id, title } })) },
  }),
  list: ({ body, footer, button, sections }) => ({
    type: 'list',
    body: text(body),
    ...footerOf(footer),
    action: {
      button,
      // The provider wants a title on every section; without one, the word on the button says best what the rows are.
      sections: sections.map(({ title, rows }) => ({ title: title || button, rows })),
    },
  }),
  cta_url: ({ body, displayText, url }) => ({
    type: 'cta_url',
    body: text(body),
    action: { name: 'cta_url', parameters: { display_text: displayText, url } },
  }),
  location_request: ({ body }) => ({
    type: 'location_request_message',
    body: text(body),
    action: { name: 'send_location' },
  }),
  product_list: (content) => productList(content),
  address: (content) => address(content),
  carousel: (content) => carousel(content),
};

export function interactive(content: Interactive): object {
  return (builders[content.subtype] as (content: Interactive) => object)(content);
}

export const productSections = (sections: ContentObjects['productList']['sections']) =>
  sections.map(({ title, productItems }) => ({
    title,
    product_items: productItems.map(({ productRetailerId }) => ({ product_retailer_id: productRetailerId })),
  }));

export function productList(content: ContentObjects['productList']): object {
  const { catalogId, header, body, footer, sections } = content;
  return {
    type: 'product_list',
    header: { type: 'text', text: header },
    // Ours is optional, the provider's is not: the header is what the sender wanted said.
    body: text(body || header),
    ...footerOf(footer),
    action: { catalog_id: catalogId, sections: productSections(sections) },
  };
}

export function address(content: ContentObjects['address']): object {
  const { body, country, values, validationErrors, savedAddresses } = content;
  return {
    type: 'address_message',
    body: text(body),
    action: {
      name: 'address_message',
      parameters: {
        country,
        ...(values && { values }),
        ...(validationErrors && { validation_errors: validationErrors }),
        ...(savedAddresses && { saved_addresses: savedAddresses }),
      },
    },
  };
}

export function carousel({ body, cards }: ContentObjects['carousel']): object {
  return {
    type: 'carousel',
    body: text(body),
    action: {
      cards: cards.map(({ cardIndex, catalogId, productRetailerId }) => ({
        card_index: cardIndex,
        type: 'product',
        action: { catalog_id: catalogId, product_retailer_id: productRetailerId },
      })),
    },
  };
}

export function product(content: ContentObjects['product']): object {
  const { catalogId, productRetailerId, body, footer } = content;
  return {
    type: 'product',
    ...(body && { body: text(body) }),
    ...footerOf(footer),
    action: { catalog_id: catalogId, product_retailer_id: productRetailerId },
  };
}

/** The wire has no catalogue id: the one connected to the number is meant. */
export function catalog({ body, footer, thumbnailProductRetailerId }: ContentObjects['catalog']): object {
  return {
    type: 'catalog_message',
    body: text(body),
    ...footerOf(footer),
    action: {
      name: 'catalog_message',
      ...(thumbnailProductRetailerId && {
        parameters: { thumbnail_product_retailer_id: thumbnailProductRetailerId },
      }),
    },
  };
}

/** `token` comes back with the person's answer, so that it finds the message it answers. */
export function flow(content: ContentObjects['flow'], flowId: string, token: string): object {
  const { body, ctaText, action = 'navigate', screen, data } = content;
  // An empty object is refused, and only a flow that navigates starts on a screen.
  const start = {
    ...(screen && { screen }),
    ...(data && Object.keys(data).length > 0 && { data }),
  };
  return {
    type: 'flow',
    body: text(body),
    action: {
      name: 'flow',
      parameters: {
        flow_message_version: '3',
        flow_id: flowId,
        flow_cta: ctaText,
        flow_token: token,
        mode: 'published',
        flow_action: action,
        ...(action === 'navigate' && Object.keys(start).length > 0 && { flow_action_payload: start }),
      },
    },
  };
}
