// Lists as the provider pages them, and the choice of fields.
import type { FastifyRequest } from 'fastify';
import { GraphError } from '../errors.ts';

type Item = Record<string, unknown>;

/** One page of items that have an id: cursors name an item, `next` is a whole URL and absent on the last page. */
export function pageOf<T extends Item>(request: FastifyRequest, items: T[], mostPerPage = 100) {
  const query = request.query as Record<string, string>;
  const limit = limitOf(query.limit, mostPerPage);
  const at = positionOf(items, query);
  const from = query.before === undefined ? at : Math.max(at - limit, 0);
  const to = query.before === undefined ? from + limit : at;
  const data = items.slice(from, to);
  if (data.length === 0) return { data };
  const cursors = { before: cursorOf(data[0]!), after: cursorOf(data.at(-1)!) };
  return {
    data,
    paging: {
      cursors,
      ...(to < items.length && { next: urlWith(request, 'after', cursors.after) }),
      ...(from > 0 && { previous: urlWith(request, 'before', cursors.before) }),
    },
  };
}

function limitOf(text: string | undefined, most: number): number {
  if (text === undefined) return Math.min(25, most);
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1)
    throw new GraphError(100, 'limit must be a positive whole number.');
  return Math.min(limit, most);
}

const cursorOf = (item: Item) => Buffer.from(String(item.id)).toString('base64url');

function positionOf(items: Item[], { after, before }: Record<string, string>): number {
  const cursor = after ?? before;
  if (cursor === undefined) return 0;
  const id = Buffer.from(cursor, 'base64url').toString();
  const at = items.findIndex((item) => item.id === id);
  if (at < 0) throw new GraphError(100, 'The cursor is not valid.');
  return after === undefined ? at : at + 1;
}

function urlWith(request: FastifyRequest, name: string, value: string): string {
  const url = new URL(request.originalUrl, `http://${request.headers.host ?? 'localhost'}`);
  url.searchParams.delete('after');
  url.searchParams.delete('before');
  url.searchParams.delete('access_token');
  url.searchParams.set(name, value);
  return url.href;
}

/** What `fields` asks for, or the default set. The id always comes along; what the object does not have is left out. */
export function choose(object: Item, fields: unknown, defaults: string[]): Item {
  const names = typeof fields === 'string' && fields !== '' ? topLevel(fields) : defaults;
  const chosen = ['id', ...names].filter((name) => object[name] !== undefined);
  return Object.fromEntries(chosen.map((name) => [name, object[name]]));
}

/** `a,b{c,d},e.limit(3)` names a, b and e. */
export function topLevel(fields: string): string[] {
  let depth = 0;
  const outer = [...fields].filter((character) => {
    if (character === '{' || character === '(') depth += 1;
    const keep = depth === 0;
    if (character === '}' || character === ')') depth -= 1;
    return keep;
  });
  return outer
    .join('')
    .split(',')
    .map((part) => part.trim().split('.')[0]!)
    .filter(Boolean);
}
