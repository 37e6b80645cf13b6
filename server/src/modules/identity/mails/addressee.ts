import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { organizationName } from '../../accounts/index.ts';
import type { MailLocale } from '../../mails/index.ts';

export type Addressee = {
  to: { name: string; address: string };
  name: string | null;
  locale: MailLocale;
  organization: string;
};

type Row = { email: string; displayName: string | null; locale: MailLocale; organizationId: string };

/** Where a person's mail goes and in which language; null for someone who is gone. */
export async function addresseeOf(t: TenantTx, userSid: string): Promise<Addressee | null> {
  const row = await t.maybe<Row>(sql`
    select email, display_name as "displayName", locale, organization_id as "organizationId"
      from users where sid = ${userSid} and status <> 'DEACTIVATED'`);
  if (!row) return null;
  return {
    to: { name: row.displayName ?? '', address: row.email },
    name: row.displayName,
    locale: row.locale,
    organization: await organizationName(t, row.organizationId),
  };
}
