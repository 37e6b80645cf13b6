// Directories of customers (SCIM 2.0): they keep people and groups here, and identity does what that means.
import type { Module } from '../../platform/module.ts';
import { directoryMount } from './mount.ts';
import { disableKeysOfLeaver } from './users/jobs.ts';

export const directoryModule: Module = {
  name: 'directory',
  tables: ['directory_groups', 'directory_group_members'],
  operations: [],
  jobs: [disableKeysOfLeaver],
  crons: [],
  mounts: [directoryMount],
};
