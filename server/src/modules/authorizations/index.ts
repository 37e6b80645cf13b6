import type { Module } from '../../platform/module.ts';
import { operations } from './routes.ts';

export const authorizationsModule: Module = {
  name: 'authorizations',
  tables: ['authorizations'],
  operations,
  jobs: [],
  crons: [],
};
