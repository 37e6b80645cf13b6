import type { Fields } from '../reading.ts';

/** One change of a callback, with what stands around it. */
export type Change = { field: string; value: Fields; wabaId: string; time: Date | null; receivedAt: Date };
