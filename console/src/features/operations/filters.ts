// What operations can be looked for by, as it stands in the address.
export const operationStates = ['PENDING', 'RUNNING', 'WAITING', 'SUCCEEDED', 'FAILED', 'CANCELED'] as const;

export type OperationSearch = { state?: (typeof operationStates)[number] };

export const operationSearchIn = (given: Record<string, unknown>): OperationSearch => ({
  state: operationStates.find((state) => state === given.state),
});
