import type { Store } from '../../platform/belongings.ts';
import { copyOfEntries } from './copies.ts';
import { forgetEntries } from './forget-details.ts';

export const auditBelongings: Store[] = [
  {
    name: 'audit_entries',
    copy: copyOfEntries,
    kept: 'Who did what and when, without words: accountability, and the defence of legal claims (GDPR Art. 5(2), 17(3)(e)).',
    forget: async (t, resources) => ({ rows: await forgetEntries(t, resources) }),
  },
];
