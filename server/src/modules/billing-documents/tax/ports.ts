// Whoever knows what is to be taxed, and how. It is asked within transactions, so it answers from what it has: a service
// elsewhere would be read ahead of time, by a job.
import type { Queries } from '../../../platform/db/database.ts';

export type TaxedPlace = { jurisdiction: string; code: string };

/** One line of tax. `ratePpm` is in millionths: 200000 is 20 %. */
export type TaxRate = TaxedPlace & { name: string; ratePpm: number };

export type TaxProvider = {
  /** Whether anything can be taxed by it, and where it cannot, at which member of the profile that fails. */
  judge(q: Queries, place: TaxedPlace & { livemode: boolean }): Promise<('jurisdiction' | 'code')[]>;
  /** The rates in force at that moment, by name. */
  ratesAt(q: Queries, place: TaxedPlace, at: Date): Promise<TaxRate[]>;
};
