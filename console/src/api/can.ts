// Whether somebody may call an operation, by what the operations themselves say they ask for. No page knows a role.
import { type Access, access } from '@godwit/sdk/access';

export type OperationId = keyof typeof access;
export type Can = (operation: OperationId) => boolean;

export function canWith(scopes: readonly string[]): Can {
  const held = new Set(scopes);
  return (operation) => {
    const { scopes: anyOf, alsoNeeds }: Access = access[operation];
    return (
      (anyOf.length === 0 || anyOf.some((scope) => held.has(scope))) && (!alsoNeeds || held.has(alsoNeeds))
    );
  };
}
