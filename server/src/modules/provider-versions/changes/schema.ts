import { type Static, Type } from 'typebox';
import { NamedObject, named, Sid, sample, Word } from '../../../platform/http/input/schema.ts';
import { sampleOwner } from '../../../platform/samples.ts';
import { changeKinds } from './entry.ts';

export const Day = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' });
export const Precision = named('DatePrecision', Word('DAY', 'MONTH'));

const Said = NamedObject('TextByLanguage', { en: Type.String(), fr: Type.String() });

export const ProviderChange = NamedObject('ProviderChange', {
  object: Word('provider_change'),
  accountSid: Sid('AC'),
  livemode: Type.Boolean(),
  id: Type.String(),
  kind: named('ProviderChangeKind', Word(...changeKinds)),
  title: Said,
  /** In UTC; where `datePrecision` is MONTH, the first of the month. */
  date: Day,
  datePrecision: Precision,
  /** Versions, capabilities and parts of the provider's API it is about. */
  affects: Type.Array(Type.String()),
  /** Whether it concerns this account in this environment, and why. */
  relevant: Type.Boolean(),
  because: Said,
  actionRequired: Type.Boolean(),
  /** What to do; null when nothing is asked of the people of the account. */
  action: Type.Union([Said, Type.Null()]),
  /** Where the provider tells of it. */
  source: Type.String({ format: 'uri' }),
  /** The day somebody last held the entry against its source. */
  revisedAt: Day,
});
export type ProviderChange = Static<typeof ProviderChange>;

sample(ProviderChange, {
  object: 'provider_change',
  ...sampleOwner,
  id: 'v24.0-ends',
  kind: 'VERSION_ENDS',
  title: {
    en: "v24.0 of the provider's API ends",
    fr: "La version v24.0 de l'API du fournisseur prend fin",
  },
  date: '2028-02-18',
  datePrecision: 'DAY',
  affects: ['v24.0'],
  relevant: true,
  because: {
    en: 'v24.0 is spoken in this environment.',
    fr: 'v24.0 est parlée dans cet environnement.',
  },
  actionRequired: false,
  action: null,
  source: 'https://developers.facebook.com/docs/graph-api/changelog/versions',
  revisedAt: '2026-09-30',
});
