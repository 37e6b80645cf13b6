import type { Module } from '../../platform/module.ts';
import { operations } from './routes.ts';

export { windowsFollow } from './followers.ts';
export { getServiceWindow, openWindow } from './service-windows.ts';
export const conversationsModule: Module = {
  name: 'conversations',
  tables: ['service_windows'],
  operations,
  jobs: [],
  crons: [],
};
