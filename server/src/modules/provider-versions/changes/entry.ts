// What a change at the provider is, and whom it concerns.
import type { KnownDate } from '../../provider/index.ts';

export const changeKinds = [
  'VERSION_RELEASED',
  'VERSION_ENDS',
  'BREAKING',
  'PRICING',
  'POLICY',
  'FEATURE',
] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** In the languages people are told in. */
export type Said = { en: string; fr: string };

/** What is known of an account in its environment when it asks whether a change concerns it. */
export type Concerned = { apiVersion: string; connected: boolean; marketing: boolean };

export type Relevance = { relevant: boolean; because: Said };

export type ProviderChangeEntry = {
  id: string;
  kind: ChangeKind;
  title: Said;
  on: KnownDate;
  /** Versions, capabilities and parts of the provider's API it is about. */
  affects: string[];
  concerns(of: Concerned): Relevance;
  /** What the people of an account it concerns should do; null when there is nothing for them to do. */
  action: Said | null;
  source: string;
  /** The day somebody last held the entry against its source. */
  revisedAt: string;
};
