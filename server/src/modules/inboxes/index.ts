import type { Module } from '../../platform/module.ts';
import { inboxEvents } from './events.ts';
import { operations } from './routes.ts';

export {
  type Asking,
  holdsOnAccount,
  inboxExists,
  inboxesAmongReach,
  inboxesJoined,
  inboxesWithinReach,
  type Membership,
  membersAmong,
  membersOf,
  reachesInbox,
} from './reach.ts';
export const inboxesModule: Module = {
  name: 'inboxes',
  tables: ['inboxes', 'inbox_members'],
  tags: {
    Inboxes: 'Where teams find the conversations they answer.',
  },
  operations,
  events: Object.values(inboxEvents),
  jobs: [],
  crons: [],
};
