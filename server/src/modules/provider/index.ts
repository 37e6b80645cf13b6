import type { Module } from '../../platform/module.ts';

export type * from './changes.ts';
export * from './content.ts';
export type * from './hooks.ts';
export type * from './ports.ts';
export const providerModule: Module = {
  name: 'provider',
  tables: [],
  operations: [],
  jobs: [],
  crons: [],
};
