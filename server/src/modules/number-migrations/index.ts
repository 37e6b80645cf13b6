import type { Module } from '../../platform/module.ts';
import { freePaused } from './crons.ts';
import { operations } from './routes.ts';
import { migrateNumber } from './run-migration.ts';
import { observeMigrations } from './under-way.ts';

export { type MigrationUnderWay, migrationsUnderWay } from './under-way.ts';

export const numberMigrationsModule: Module = {
  name: 'number-migrations',
  tables: ['number_migrations', 'number_migration_history'],
  tags: {
    'Number migrations':
      'Moving a number to another business account, with its sender and all that belongs to it.',
  },
  operations,
  jobs: [migrateNumber.job],
  crons: [freePaused],
  observe: observeMigrations,
};
