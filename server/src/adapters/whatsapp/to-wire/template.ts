// Template messages as the provider writes them.
import type {
  ContentObjects,
  TemplateComponent,
  TemplateParameter,
} from '../../../modules/provider/index.ts';
import { productSections } from './interactive.ts';
import type { Names } from './names.ts';

type Type = TemplateParameter['type'];
type Of<T extends Type> = Extract<TemplateParameter, { type: T }>;

const mediaOf = (type: 'image' | 'video', sid: string, names: Names) => ({
  type,
  [type]: { id: names.media(sid) },
});

const parameters: { [T in Type]: (parameter: Of<T>, names: Names) => object } = {
  text: ({ text, parameterName }) => ({
    type: 'text',
    ...(parameterName && { parameter_name: parameterName }),
    text,
  }),
  currency: ({ fallbackValue, code, amount1000 }) => ({
    type: 'currency',
    currency: { fallback_value: fallbackValue, code, amount_1000: amount1000 },
  }),
  date_time: ({ fallbackValue }) => ({ type: 'date_time', date_time: { fallback_value: fallbackValue } }),
  payload: ({ payload }) => ({ type: 'payload', payload }),
  image: ({ sid }, names) => mediaOf('image', sid, names),
  video: ({ sid }, names) => mediaOf('video', sid, names),
  document: ({ sid, filename }, names) => ({
    type: 'document',
    document: { id: names.media(sid), ...(filename && { filename }) },
  }),
  location: ({ latitude, longitude, name, address }) => ({
    type: 'location',
    location: { latitude, longitude, ...(name && { name }), ...(address && { address }) },
  }),
  coupon_code: ({ couponCode }) => ({ type: 'coupon_code', coupon_code: couponCode }),
  limited_time_offer: ({ expirationTimeMs }) => ({
    type: 'limited_time_offer',
    limited_time_offer: { expiration_time_ms: expirationTimeMs },
  }),
  tap_target_configuration: ({ url, title }) => ({
    type: 'tap_target_configuration',
    tap_target_configuration: [{ url, title }],
  }),
  action: ({ thumbnailProductRetailerId, sections }) => ({
    type: 'action',
    action: {
      ...(thumbnailProductRetailerId && { thumbnail_product_retailer_id: thumbnailProductRetailerId }),
      ...(sections && { sections: productSections(sections) }),
    },
  }),
  product: ({ catalogId, productRetailerId }) => ({
    type: 'product',
    product: { catalog_id: catalogId, product_retailer_id: productRetailerId },
  }),
};

const parameterOf = (parameter: TemplateParameter, names: Names) =>
  (parameters[parameter.type] as (parameter: TemplateParameter, names: Names) => object)(parameter, names);

export function template(content: ContentObjects['template'], names: Names, token: string): object {
  const { name, language, components = [] } = content;
  const built = components.flatMap((component) => componentOf(component, names, token));
  return { name, language: { code: language }, ...(built.length > 0 && { components: built }) };
}

/** A component that fills in nothing is left out. */
function componentOf(component: TemplateComponent, names: Names, token: string): object[] {
  const { type, subType, index = 0, parameters: given = [] } = component;
  // A single product's button takes nothing: the product stands in the header.
  if (subType === 'spm') return headerOf(given, names);
  if (subType === 'flow') return [button('flow', index, [flowAction(given, token)])];
  if (given.length === 0) return [];
  if (subType === 'otp') return [button('url', index, given.map(codeOf))];
  const built = given.map((parameter) => parameterOf(parameter, names));
  return [type === 'button' ? button(subType ?? 'quick_reply', index, built) : { type, parameters: built }];
}

const button = (subType: string, index: number, built: object[]) => ({
  type: 'button',
  sub_type: subType,
  index: String(index),
  parameters: built,
});

function headerOf(given: TemplateParameter[], names: Names): object[] {
  if (given.length === 0) return [];
  return [{ type: 'header', parameters: given.map((parameter) => parameterOf(parameter, names)) }];
}

/** The code of a one-time password travels as the text of a URL button, whatever the button does. */
function codeOf(parameter: TemplateParameter): object {
  if (parameter.type === 'text') return { type: 'text', text: parameter.text };
  if (parameter.type === 'payload') return { type: 'text', text: parameter.payload };
  if (parameter.type === 'coupon_code') return { type: 'text', text: parameter.couponCode };
  throw new TypeError(`a one-time password cannot be a ${parameter.type}`);
}

function flowAction(given: TemplateParameter[], token: string): object {
  const own = given.find((parameter) => parameter.type === 'payload');
  return { type: 'action', action: { flow_token: own?.payload || token } };
}
