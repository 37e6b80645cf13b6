import type { Pager } from '../../platform/http/operations/pagination.ts';
import { type Role, roleCatalogue, scopesOfRole } from './catalogue.ts';
import type { RoleDescription } from './schema.ts';

const everyRole = Object.keys(roleCatalogue) as Role[];

/** The platform's own staff get their roles from the operator, never through the API. */
export const isGrantable = (role: Role): boolean => !role.startsWith('PLATFORM_');

export function listRoles(pager: Pager) {
  const [after] = pager.after ?? [-1];
  const rest = everyRole.map((role, place) => ({ role, place })).filter(({ place }) => place > Number(after));
  return pager.page(
    rest.slice(0, pager.fetch),
    ({ place }) => [place],
    ({ role }): RoleDescription => ({
      object: 'role',
      role,
      summary: roleCatalogue[role].summary,
      scopes: [...scopesOfRole(role)],
      grantable: isGrantable(role),
    }),
  );
}
