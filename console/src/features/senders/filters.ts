// What senders can be looked for by, as it stands in the address.
export const senderStatuses = [
  'CONNECTED',
  'DISCONNECTED',
  'PENDING',
  'UNVERIFIED',
  'FLAGGED',
  'RESTRICTED',
  'RATE_LIMITED',
  'BANNED',
  'DELETED',
  'MIGRATED',
] as const;

export type SenderSearch = { status?: (typeof senderStatuses)[number] };

export const senderSearchIn = (given: Record<string, unknown>): SenderSearch => ({
  status: senderStatuses.find((one) => one === given.status),
});
