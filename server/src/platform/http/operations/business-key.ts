// The key in the body: what the caller calls the thing that is to be done, such as one refund. It is kept as the header's
// key is, under a name of its own and for ever.
import { canonicalJson, sha256, sha256Hex } from '../../hashing.ts';
import { type Principal, principalName } from '../../principal.ts';
import type { KeyedRequest, KeyState } from './idempotency.ts';
import type { AnyInput, Operation } from './operation.ts';
import { withoutToken } from './step-up.ts';

export function businessKeyOf(
  operation: Operation,
  principal: Principal,
  input: AnyInput,
): KeyedRequest | null {
  if (!operation.businessKey) return null;
  const { field, approval } = operation.businessKey;
  const body = withoutToken(operation, input.body);
  if (approval !== undefined) delete body[approval];
  return {
    // Hashed: a key in a body may be any text.
    key: sha256Hex(String(body[field])),
    subject: `business:${operation.id}`,
    operationId: operation.id,
    fingerprint: sha256(canonicalJson({ params: { ...input.params }, body })),
    principal: principalName(principal),
    revealsSecret: false,
    field,
  };
}

/**
 * What was refused for want of consent did nothing yet, so its key is still free for the same with the consent. Everything
 * else that was answered under the key is answered again.
 */
export function isAnswered({ businessKey }: Operation, input: AnyInput, state: KeyState): boolean {
  if (!('replay' in state)) return false;
  const { approval } = businessKey!;
  const brings = approval !== undefined && input.body[approval] !== undefined;
  return state.replay.status < 400 || !brings;
}
