// What the provider bills for a message, by the country of the recipient: the prices that rate cards pass on. In dollars, and at nine
// tenths of that in any other currency. What is free costs nothing.

type Prices = { marketing: number; utility: number; international?: number };

const elsewhere: Prices = { marketing: 0.0604, utility: 0.0077 };

const regions: [countries: string, prices: Prices][] = [
  ['CA US', { marketing: 0.025, utility: 0.0034 }],
  [
    'AO BF BI BJ BW CG CI CM DZ ER ET GA GH GM GW KE LR LS LY MA MG ML MR MW MZ NA NE RW SD SL SN SO SS SZ TD TG TN TZ UG ZM',
    { marketing: 0.0225, utility: 0.004 },
  ],
  ['AF AU BD CN HK JP KH LA LK MN NP NZ PG PH SG TH TJ TM TW UZ VN', { marketing: 0.0732, utility: 0.0113 }],
  ['AL AM AZ BG BY CZ GE GR HR HU LT LV MD MK PL RO RS SI SK UA', { marketing: 0.086, utility: 0.0212 }],
  ['AT BE CH DK FI IE NO PT SE', { marketing: 0.0592, utility: 0.0171 }],
  ['BO CR DO EC GT HN HT JM NI PA PR PY SV UY VE', { marketing: 0.074, utility: 0.0113 }],
  ['BH IQ JO KW LB OM QA YE', { marketing: 0.0341, utility: 0.0091 }],
  ['AE', { marketing: 0.0384, utility: 0.0157, international: 0.051 }],
  ['AR', { marketing: 0.0618, utility: 0.026 }],
  ['BR', { marketing: 0.0625, utility: 0.0068 }],
  ['CL', { marketing: 0.0889, utility: 0.02 }],
  ['CO', { marketing: 0.0125, utility: 0.0008 }],
  ['DE', { marketing: 0.1365, utility: 0.055 }],
  ['EG', { marketing: 0.0644, utility: 0.0036, international: 0.065 }],
  ['ES', { marketing: 0.0615, utility: 0.02 }],
  ['FR', { marketing: 0.0859, utility: 0.03 }],
  ['GB', { marketing: 0.0529, utility: 0.022 }],
  ['ID', { marketing: 0.0411, utility: 0.025, international: 0.136 }],
  ['IL', { marketing: 0.0353, utility: 0.0053 }],
  ['IN', { marketing: 0.0118, utility: 0.0014, international: 0.0304 }],
  ['IT', { marketing: 0.0691, utility: 0.03 }],
  ['MX', { marketing: 0.0305, utility: 0.0085 }],
  ['MY', { marketing: 0.086, utility: 0.014, international: 0.0418 }],
  ['NG', { marketing: 0.0516, utility: 0.0067, international: 0.075 }],
  ['NL', { marketing: 0.1597, utility: 0.05 }],
  ['PE', { marketing: 0.0703, utility: 0.02 }],
  ['PK', { marketing: 0.0473, utility: 0.0054, international: 0.075 }],
  ['RU', { marketing: 0.0802, utility: 0.04 }],
  ['SA', { marketing: 0.0455, utility: 0.0107, international: 0.0598 }],
  ['TR', { marketing: 0.0109, utility: 0.0053 }],
  ['ZA', { marketing: 0.0379, utility: 0.0076, international: 0.02 }],
];

const byCountry = new Map(
  regions.flatMap(([countries, prices]) => countries.split(' ').map((country) => [country, prices] as const)),
);

type Charged = { country: string; category: string; type: string; currency: string };

/** Of one message; category and type in whatever case. */
export function costOf({ country, category, type, currency }: Charged): number {
  if (type.toLowerCase() !== 'regular') return 0;
  const { marketing, utility, international = utility } = byCountry.get(country) ?? elsewhere;
  const word = category.toLowerCase();
  const dollars = word.startsWith('marketing')
    ? marketing
    : word === 'authentication_international'
      ? international
      : utility;
  return roundCost(currency === 'USD' ? dollars : dollars * 0.9);
}

/** To a millionth: sums of fractions stay what they look like. */
export const roundCost = (amount: number) => Math.round(amount * 1e6) / 1e6;
