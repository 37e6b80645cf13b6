// The tax provider that is built in: a table of rates the operator keeps.
import type { Queries, SystemTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import type { TaxProvider, TaxRate } from './ports.ts';

/** For the sandbox: no country has it. */
export const testJurisdiction = 'TEST';

export const taxTable: TaxProvider = {
  async judge(q, { jurisdiction, code, livemode }) {
    const known = await q.one<{ jurisdiction: boolean; code: boolean }>(sql`
      select exists (select from tax_rates where jurisdiction = ${jurisdiction}) as jurisdiction,
        exists (select from tax_rates where jurisdiction = ${jurisdiction} and code = ${code}) as code`);
    if (!known.jurisdiction || (livemode && jurisdiction === testJurisdiction)) return ['jurisdiction'];
    return known.code ? [] : ['code'];
  },
  ratesAt(q, { jurisdiction, code }, at) {
    return q.many<TaxRate>(sql`
      select jurisdiction, code, name, rate_ppm as "ratePpm" from (
        select distinct on (name) jurisdiction, code, name, rate_ppm from tax_rates
         where jurisdiction = ${jurisdiction} and code = ${code}
           and valid_from <= (${at}::timestamptz at time zone 'UTC')::date
         order by name, valid_from desc) as newest
       where rate_ppm is not null order by name collate "C"`);
  },
};

/** `ratePpm` is null to end a rate. `validFrom` is a day in UTC. */
export type NewTaxRate = {
  jurisdiction: string;
  code: string;
  name: string;
  ratePpm: number | null;
  validFrom: string;
};

export async function addTaxRate(s: SystemTx, now: Date, rate: NewTaxRate): Promise<void> {
  const { jurisdiction, code, name, ratePpm, validFrom } = rate;
  const added = await s.run(sql`
    insert into tax_rates (jurisdiction, code, name, valid_from, rate_ppm, created_by, created_at)
    values (${jurisdiction}, ${code}, ${name}, ${validFrom}, ${ratePpm}, 'system:operator', ${now})
    on conflict do nothing`);
  if (added === 0) {
    throw new ApiError('CONFLICT', {
      message: `${name} in ${jurisdiction} for ${code} has a rate from ${validFrom} on already: rates are never changed.`,
    });
  }
}

export const listTaxRates = (q: Queries): Promise<NewTaxRate[]> =>
  q.many<NewTaxRate>(sql`
    select jurisdiction, code, name, rate_ppm as "ratePpm", to_char(valid_from, 'YYYY-MM-DD') as "validFrom"
      from tax_rates order by jurisdiction, code, name, valid_from`);
