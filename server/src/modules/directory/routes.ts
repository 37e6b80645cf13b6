// The directory endpoint: which request means what.
import type { TenantTx } from '../../platform/db/database.ts';
import { groupSource } from './groups/group-source.ts';
import {
  changeGroup,
  createGroup,
  deleteGroup,
  getGroup,
  groupRows,
  groupsAmong,
  listGroups,
  mostGroups,
} from './groups/groups.ts';
import { groupKind, userKind } from './protocol/attributes.ts';
import { type Asked, maxResults, projectionOf, readListQuery } from './protocol/list-query.ts';
import { type Document, normalise, objectOf } from './protocol/normalise.ts';
import { applyPatch } from './protocol/patch.ts';
import { project } from './protocol/projection.ts';
import {
  isUnchanged,
  listAnswer,
  notModified,
  type Resource,
  refuseStale,
  resourceAnswer,
  type ScimAnswer,
} from './protocol/resource.ts';
import type { ScimCall } from './protocol/scim-call.ts';
import { badRequest, notFound, ScimError } from './protocol/scim-error.ts';
import { readSearch, type Searched, searchAll } from './protocol/search-all.ts';
import { allOf, oneOf, resourceTypes, schemas, serviceProviderConfig } from './protocol/service-config.ts';
import { userSource } from './users/user-source.ts';
import {
  changeUser,
  createUser,
  deleteUser,
  getUser,
  listUsers,
  userRows,
  usersAmong,
} from './users/users.ts';

type Change = (current: Resource, document: Document) => Document;

/** What can be done with one kind of resource, inside a transaction. */
type Keeper = Searched & {
  get(t: TenantTx, call: ScimCall, id: string): Promise<Resource>;
  create(t: TenantTx, call: ScimCall, document: Document): Promise<Resource>;
  change(t: TenantTx, call: ScimCall, id: string, change: Change): Promise<Resource>;
  remove(t: TenantTx, call: ScimCall, id: string, check: (current: Resource) => void): Promise<void>;
};

const keepers: Record<string, Keeper> = {
  Users: {
    kind: userKind,
    source: userSource,
    rows: userRows,
    among: usersAmong,
    most: () => maxResults,
    list: listUsers,
    get: getUser,
    create: createUser,
    change: changeUser,
    remove: deleteUser,
  },
  Groups: {
    kind: groupKind,
    source: groupSource,
    rows: groupRows,
    among: groupsAmong,
    most: mostGroups,
    list: listGroups,
    get: getGroup,
    create: createGroup,
    change: changeGroup,
    remove: deleteGroup,
  },
};

export function answerScim(call: ScimCall, method: string, path: string): Promise<ScimAnswer> | ScimAnswer {
  const [first = '', id, ...rest] = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodePart);
  if (rest.length > 0) throw notFound();
  if (first === '.search' && id === undefined) return searchEverything(call, method);
  const keeper = Object.hasOwn(keepers, first) ? keepers[first] : undefined;
  if (!keeper) return answerAboutService(call, method, first, id);
  const handlers = id === undefined ? ofAll : id === '.search' ? ofSearch : ofOne;
  const handler = handlers[method];
  if (!handler) throw wrongMethod(Object.keys(handlers));
  return handler(keeper, call, id ?? '');
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw notFound();
  }
}

const wrongMethod = (allowed: string[]) =>
  new ScimError(405, 'The method is not allowed here.', undefined, { allow: allowed.join(', ') });

function answerAboutService(
  call: ScimCall,
  method: string,
  first: string,
  id: string | undefined,
): ScimAnswer {
  if (first === 'Me' || first === 'Bulk')
    throw new ScimError(501, 'This part of the protocol is not offered.');
  const { baseUrl } = call;
  const answers: Record<string, () => ScimAnswer> = {
    ServiceProviderConfig: () => {
      if (id !== undefined) throw notFound();
      return { status: 200, body: serviceProviderConfig(baseUrl) };
    },
    ResourceTypes: () =>
      id === undefined ? allOf(resourceTypes(baseUrl)) : oneOf(resourceTypes(baseUrl), id),
    Schemas: () => (id === undefined ? allOf(schemas(baseUrl)) : oneOf(schemas(baseUrl), id)),
  };
  const answer = Object.hasOwn(answers, first) ? answers[first] : undefined;
  if (!answer) throw notFound();
  if (method !== 'GET') throw wrongMethod(['GET']);
  return answer();
}

type Handler = (keeper: Keeper, call: ScimCall, id: string) => Promise<ScimAnswer>;

async function list({ kind, source, list: find }: Keeper, call: ScimCall, asked: Asked): Promise<ScimAnswer> {
  const query = readListQuery(source, asked);
  const { total, resources } = await call.read((t) => find(t, call, query));
  const shown = resources.map((resource) => project(kind, resource, query.projection));
  return listAnswer(shown, total, query.startIndex);
}

const shownBy = ({ kind }: Keeper, call: ScimCall) => ({ kind, projection: projectionOf(kind, call.query) });

const ofAll: Record<string, Handler> = {
  GET: (keeper, call) => list(keeper, call, call.query),
  async POST(keeper, call) {
    const shown = shownBy(keeper, call);
    const document = normalise(keeper.kind, call.body());
    const resource = await call.write((t) => keeper.create(t, call, document));
    return resourceAnswer(201, { ...shown, resource });
  },
};

/** A list whose question is too long, or too personal, for an address (RFC 7644 section 3.4.3). */
const ofSearch: Record<string, Handler> = {
  POST: (keeper, call) => list(keeper, call, askedInBody(call.body())),
};

async function searchEverything(call: ScimCall, method: string): Promise<ScimAnswer> {
  if (method !== 'POST') throw wrongMethod(['POST']);
  const search = readSearch(Object.values(keepers), askedInBody(call.body()));
  const { total, resources } = await call.read((t) => searchAll(t, call, search));
  return listAnswer(resources, total, search.startIndex);
}

function askedInBody(body: unknown): Asked {
  const given = objectOf(body, 'The search');
  return (name) => {
    const value = given[name];
    if (value === undefined || value === null) return undefined;
    if (Array.isArray(value)) return value.join(',');
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    throw badRequest('invalidValue', `"${name}" must be text or a number.`);
  };
}

const ofOne: Record<string, Handler> = {
  async GET(keeper, call, id) {
    const shown = shownBy(keeper, call);
    const resource = await call.read((t) => keeper.get(t, call, id));
    return isUnchanged(call, resource) ? notModified(resource) : resourceAnswer(200, { ...shown, resource });
  },
  async PUT(keeper, call, id) {
    const document = normalise(keeper.kind, call.body());
    return changed(keeper, call, id, () => document);
  },
  async PATCH(keeper, call, id) {
    const patch = call.body();
    return changed(keeper, call, id, (_current, document) => applyPatch(keeper.kind, document, patch));
  },
  async DELETE(keeper, call, id) {
    await call.write((t) => keeper.remove(t, call, id, (current) => refuseStale(call, current)));
    return { status: 204, body: null };
  },
};

async function changed(keeper: Keeper, call: ScimCall, id: string, change: Change): Promise<ScimAnswer> {
  const shown = shownBy(keeper, call);
  const resource = await call.write((t) =>
    keeper.change(t, call, id, (current, document) => {
      refuseStale(call, current);
      return change(current, document);
    }),
  );
  return resourceAnswer(200, { ...shown, resource });
}
