// Which accounts want the provider's own figures compared, and for which time.
import type { SystemTx, Tenant } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import type { ProviderStatement } from './schema.ts';

export type AutomatedStatement = Tenant & { walletId: string; providerStatement: ProviderStatement };

export function listProviderStatements(s: SystemTx): Promise<AutomatedStatement[]> {
  return s.many<AutomatedStatement>(sql`
    select account_sid as "accountSid", livemode, wallet_id as "walletId", provider_statement as "providerStatement"
      from billing_automations where provider_statement is not null order by account_sid, wallet_id`);
}
