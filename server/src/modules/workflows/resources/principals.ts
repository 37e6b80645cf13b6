import type { Static } from 'typebox';
import type { PrincipalRef } from '../../../platform/http/input/schema.ts';

/** Who a stored name (`user:US…`) is, as answers tell it. */
export function principalOf(name: string): Static<typeof PrincipalRef> {
  const at = name.indexOf(':');
  return { type: name.slice(0, at) as Static<typeof PrincipalRef>['type'], ref: name.slice(at + 1) };
}
