// A directory that provisions people: its token, and short ways to speak SCIM.
import type { Reply, TestApp } from './app.ts';
import type { Person } from './people.ts';
import { activeProvider } from './providers.ts';

export type TestDirectory = Awaited<ReturnType<typeof directory>>;

export async function directory(app: TestApp, admin: Person, publicConfig: object = {}) {
  const provider = await activeProvider(app, admin, { protocol: 'SCIM', publicConfig });
  const headers = {
    authorization: `Bearer ${provider.directoryToken}`,
    'content-type': 'application/scim+json',
  };
  const send = (method: string, path: string, body?: unknown, more: object = {}): Promise<Reply> =>
    app.send(method, `/scim/v2${path}`, {
      headers: { ...headers, ...more },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  let people = 0;
  return {
    id: provider.id as string,
    token: provider.directoryToken as string,
    send,
    get: (path: string, more: object = {}) => send('GET', path, undefined, more),
    find: (kind: 'Users' | 'Groups', filter: string, rest = '') =>
      send('GET', `/${kind}?filter=${encodeURIComponent(filter)}${rest}`),
    async user(more: object = {}) {
      people += 1;
      const userName = `person-${provider.id.slice(-6)}-${people}@example.com`;
      const reply = await send('POST', '/Users', { schemas: [userSchema], userName, ...more });
      if (reply.status !== 201) throw new Error(reply.text);
      return reply.body;
    },
    async group(displayName: string, members: string[] = []) {
      const body = { schemas: [groupSchema], displayName, members: members.map((value) => ({ value })) };
      const reply = await send('POST', '/Groups', body);
      if (reply.status !== 201) throw new Error(reply.text);
      return reply.body;
    },
    patch: (path: string, ...Operations: object[]) =>
      send('PATCH', path, { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations }),
  };
}

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
