import type { Module } from '../../platform/module.ts';
import { authorizationBelongings } from './belongings.ts';
import { authorizationEvents } from './events.ts';
import { operations } from './routes.ts';

export const authorizationsModule: Module = {
  name: 'authorizations',
  tables: ['authorizations'],
  tags: {
    Authorizations: 'Instructions by which a customer lets the platform act in their name at the provider.',
  },
  operations,
  events: Object.values(authorizationEvents),
  jobs: [],
  crons: [],
  belongings: authorizationBelongings,
};
