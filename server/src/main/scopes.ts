import { operations } from './modules.ts';

/** Every scope an operation asks for. */
export const allScopes = [
  ...new Set(operations.flatMap(({ access }) => (Array.isArray(access) ? access : []))),
].sort();
