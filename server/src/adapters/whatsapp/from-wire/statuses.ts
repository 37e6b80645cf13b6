// What became of a message.
import type { ProviderStatus } from '../../../modules/provider/index.ts';
import { failureOf } from '../errors.ts';
import { type Fields, fieldsOf, instantOf, listOf, textOf } from '../reading.ts';
import type { Change } from './change.ts';

const known = new Set<string>(['sent', 'delivered', 'read', 'played', 'failed']);

export function readStatus(raw: Fields, { receivedAt }: Change): ProviderStatus | null {
  const providerMessageId = textOf(raw.id);
  const status = textOf(raw.status);
  if (providerMessageId === null || status === null || !known.has(status)) return null;
  const waId = textOf(raw.recipient_id);
  return {
    providerMessageId,
    status: status as ProviderStatus['status'],
    opaque: textOf(raw.biz_opaque_callback_data),
    occurredAt: instantOf(raw.timestamp) ?? receivedAt,
    recipient: {
      waId,
      bsuid: textOf(raw.recipient_user_id),
      parentBsuid: textOf(raw.recipient_parent_user_id),
    },
    pricing: pricingOf(raw.pricing),
    conversation: conversationOf(raw.conversation),
    failure: status === 'failed' ? failureOfStatus(raw, waId) : null,
  };
}

/** The provider writes some words with a dash in one place and an underscore in another. */
const word = (value: unknown) => textOf(value)?.toLowerCase().replaceAll('-', '_') ?? null;

function pricingOf(value: unknown): ProviderStatus['pricing'] {
  const found = fieldsOf(value);
  if (Object.keys(found).length === 0) return null;
  return {
    billable: typeof found.billable === 'boolean' ? found.billable : null,
    model: textOf(found.pricing_model),
    type: word(found.type),
    category: word(found.category),
  };
}

function conversationOf(value: unknown): ProviderStatus['conversation'] {
  const found = fieldsOf(value);
  const id = textOf(found.id);
  if (id === null) return null;
  const originType = word(fieldsOf(found.origin).type);
  return { id, originType, expiresAt: instantOf(found.expiration_timestamp) };
}

function failureOfStatus(raw: Fields, waId: string | null): ProviderStatus['failure'] {
  const doing = { purpose: 'send', ...(waId !== null && { recipient: waId }) } as const;
  const [first] = listOf(raw.errors);
  return (
    failureOf(first, doing) ?? {
      code: 'PROVIDER_PERMANENT_ERROR',
      retryable: false,
      providerCode: null,
      providerSubcode: null,
      reason: 'The provider reported failure and gave no reason.',
      retryAfterMs: null,
    }
  );
}
