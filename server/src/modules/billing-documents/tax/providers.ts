// The tax providers there are, by the name a tax profile gives.
import type { TaxProvider } from './ports.ts';
import { taxTable } from './tax-table.ts';

export const taxProviders: Record<string, TaxProvider> = { table: taxTable };
