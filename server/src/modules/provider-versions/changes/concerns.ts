// The ways in which a change concerns an account or does not.
import { compareVersions } from '../../provider/index.ts';
import type { Concerned, Relevance, Said } from './entry.ts';

const rule =
  (holds: (of: Concerned) => boolean, yes: (of: Concerned) => Said, no: (of: Concerned) => Said) =>
  (of: Concerned): Relevance => {
    const relevant = holds(of);
    return { relevant, because: relevant ? yes(of) : no(of) };
  };

/** Whoever sends at all. */
export const connected = rule(
  (of) => of.connected,
  () => ({
    en: 'A business account is connected in this environment.',
    fr: 'Un compte professionnel est connecté dans cet environnement.',
  }),
  () => ({
    en: 'No business account is connected in this environment.',
    fr: "Aucun compte professionnel n'est connecté dans cet environnement.",
  }),
);

/** Whoever can send over the transport of marketing messages. */
export const marketing = rule(
  (of) => of.marketing,
  () => ({
    en: 'A business account of this environment can send marketing messages by their own transport.',
    fr: 'Un compte professionnel de cet environnement peut envoyer des messages marketing par leur propre transport.',
  }),
  () => ({
    en: 'No business account of this environment is admitted to the transport of marketing messages.',
    fr: "Aucun compte professionnel de cet environnement n'est admis au transport des messages marketing.",
  }),
);

const spoken = ({ apiVersion }: Concerned): Said => ({
  en: `${apiVersion} is spoken in this environment.`,
  fr: `${apiVersion} est parlée dans cet environnement.`,
});

/** Whoever speaks exactly this version. */
export const speaks = (version: string) => rule((of) => of.apiVersion === version, spoken, spoken);

/** Whoever speaks this version or a later one. */
export const speaksFrom = (version: string) =>
  rule((of) => compareVersions(of.apiVersion, version) >= 0, spoken, spoken);
