// What flows can be looked for by, as it stands in the address.
export const flowStatuses = ['DRAFT', 'PUBLISHED', 'DEPRECATED', 'BLOCKED', 'THROTTLED'] as const;

export type FlowSearch = { status?: (typeof flowStatuses)[number] };

export const flowSearchIn = (given: Record<string, unknown>): FlowSearch => ({
  status: flowStatuses.find((one) => one === given.status),
});
