// Things that exist, for tests that loop over all operations. A feature whose paths name a resource says in its own
// `fixtures.ts` how one comes to be; nothing here needs to know.
import { readdir } from 'node:fs/promises';
import type { TestApp } from './app.ts';

export type Owner = { accountSid: string; livemode: boolean; key: string };
export type Given = { app: TestApp; owner: Owner };
/** By the name of the path parameter: makes the resource and tells its identifier. */
export type Fixtures = Record<string, (given: Given) => Promise<string>>;

/** What belongs to the organization and stands in both environments, so that neither hides it from the other. */
export const acrossEnvironments = new Set(['userSid', 'bindingId', 'providerId']);

/** What names no resource: the same word means the same to everybody, and is judged as the body is. */
export const plainWords = new Set(['currency', 'phoneNumber']);

const modulesFolder = new URL('../../src/modules/', import.meta.url);

export async function loadFixtures(): Promise<Fixtures> {
  const files = (await readdir(modulesFolder, { recursive: true })).filter((name) =>
    name.endsWith('fixtures.ts'),
  );
  const loaded = await Promise.all(files.map((name) => import(new URL(name, modulesFolder).href)));
  return Object.assign({}, ...loaded.map(({ fixtures }: { fixtures: Fixtures }) => fixtures));
}
