// A content by its type: the field of the request that holds it.
import type { Content } from '@godwit/sdk';

export const contentTypes = [
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contacts',
  'interactive',
  'template',
  'product',
  'catalog',
  'flow',
  'product_list',
  'address',
  'carousel',
  'reaction',
] as const;

const files = ['image', 'video', 'audio', 'document', 'sticker'];

export function fieldOf(type: string): string {
  if (files.includes(type)) return 'media';
  return type === 'product_list' ? 'productList' : type;
}

export const bodyOf = (content: Content): unknown => content[fieldOf(content.type) as 'text'];

/** The words of a text; null for what is no text. */
export function wordsOf(type: string, body: unknown): string | null {
  const { body: text } = (body ?? {}) as { body?: unknown };
  return type === 'text' && typeof text === 'string' ? text : null;
}
