import type { Database } from '../../platform/db/database.ts';
import type { Denial } from '../../platform/http/limits/denials.ts';
import { audit } from './audit.ts';

/** Commits on its own, since the request that was refused commits nothing. */
export const recordDenial =
  (database: Database) =>
  (denial: Denial): Promise<void> =>
    database.write(denial, denial, async (t) =>
      audit(t, { action: 'access.denied', resource: denial.operationId }),
    );
