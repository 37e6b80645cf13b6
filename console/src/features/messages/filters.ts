// What messages can be looked for by, as it stands in the address.
export const statuses = [
  'queued',
  'scheduled',
  'deferred',
  'sending',
  'unknown',
  'sent',
  'delivered',
  'read',
  'failed',
  'canceled',
  'expired',
  'received',
] as const;
export const directions = ['outbound', 'inbound'] as const;

export type MessageSearch = {
  status?: (typeof statuses)[number];
  direction?: (typeof directions)[number];
};

export const searchIn = (given: Record<string, unknown>): MessageSearch => ({
  status: statuses.find((status) => status === given.status),
  direction: directions.find((direction) => direction === given.direction),
});
