// The beginnings and ends of versions as changes.
import { type ProviderVersion, providerVersions, versionsRevisedAt } from '../../provider/index.ts';
import { speaks } from './concerns.ts';
import type { ProviderChangeEntry } from './entry.ts';

const common = ({ version }: ProviderVersion) => ({
  affects: [version],
  concerns: speaks(version),
  action: null,
  source: 'https://developers.facebook.com/docs/graph-api/changelog/versions',
  revisedAt: versionsRevisedAt.slice(0, 10),
});

const releaseOf = (of: ProviderVersion): ProviderChangeEntry => ({
  id: `${of.version}-released`,
  kind: 'VERSION_RELEASED',
  title: {
    en: `${of.version} of the provider's API is released`,
    fr: `La version ${of.version} de l'API du fournisseur paraît`,
  },
  on: of.releasedOn,
  ...common(of),
});

/** Who speaks it is moved on by the operator: there is nothing for the people of an account to do. */
const endOf = (of: ProviderVersion): ProviderChangeEntry[] =>
  of.endsOn === null
    ? []
    : [
        {
          id: `${of.version}-ends`,
          kind: 'VERSION_ENDS',
          title: {
            en: `${of.version} of the provider's API ends`,
            fr: `La version ${of.version} de l'API du fournisseur prend fin`,
          },
          on: of.endsOn,
          ...common(of),
        },
      ];

export const versionChanges: readonly ProviderChangeEntry[] = providerVersions.flatMap((of) => [
  releaseOf(of),
  ...endOf(of),
]);
