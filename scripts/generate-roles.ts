// Writes docs/generated/roles.md: which operations each built-in role can call. It follows from the roles' scopes and
// the operations' declarations; it is kept as a file so that a change of either is seen by whoever reviews it.
import { operations } from '../server/src/main/modules.ts';
import { type Role, roleCatalogue, scopesOfRole } from '../server/src/modules/roles/index.ts';
import { scopesOf, suffices } from '../server/src/platform/http/operations/access.ts';
import type { Operation } from '../server/src/platform/http/operations/operation.ts';
import { generated } from './generated-file.ts';

const roles = Object.keys(roleCatalogue) as Role[];

const mayCall = (role: Role, operation: Operation) => suffices(operation, new Set(scopesOfRole(role)));

const row = (cells: string[]) => `| ${cells.join(' | ')} |`;

function table(shown: Operation[]): string {
  return [
    row(['Operation', 'Any of', ...roles]),
    row(['---', '---', ...roles.map(() => ':-:')]),
    ...shown.map((operation) =>
      row([
        operation.id,
        scopesOf(operation).join(', ') + (operation.alsoNeeds ? ` and ${operation.alsoNeeds}` : ''),
        ...roles.map((role) => (mayCall(role, operation) ? '●' : '')),
      ]),
    ),
  ].join('\n');
}

const byName = [...operations].sort((a, b) => (a.id < b.id ? -1 : 1));
const scoped = byName.filter((operation) => scopesOf(operation).length > 0);
const listed = (access: string) =>
  byName.filter((operation) => operation.access === access).map(({ id }) => `- ${id}`);

const text = [
  '# What each role can do',
  '<!-- Generated from the roles and the declared operations by "npm run generate". -->',
  'A dot means that the scopes of the role let its holder enter the operation. What an operation then demands of them (a second factor, a second person, to hold what they grant, to be the person it is about) comes on top.',
  '## On an organization, account or subaccount',
  table(scoped),
  '## On a single inbox',
  'A role bound to an inbox opens these operations and no others, each for that inbox or for oneself alone.',
  table(scoped.filter(({ partScoped }) => partScoped)),
  '## Without a role',
  'Everybody who is known may call:',
  listed('authenticated').join('\n'),
  'Everybody may call:',
  listed('public').join('\n'),
].join('\n\n');

await generated('docs/generated/roles.md', `${text}\n`);
