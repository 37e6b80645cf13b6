// What changed at the provider and what will, reviewed by hand against the provider's own pages. The beginnings and ends of
// versions are not written here: they follow from the table of versions.
import type { KnownDate } from '../../provider/index.ts';
import { connected, marketing, speaksFrom } from './concerns.ts';
import type { ProviderChangeEntry } from './entry.ts';

const day = (date: string): KnownDate => ({ date, precision: 'DAY' });
const month = (text: string): KnownDate => ({ date: `${text}-01`, precision: 'MONTH' });

const revisedAt = '2026-09-30';
const changelog = 'https://developers.facebook.com/docs/graph-api/changelog';
const whatsapp = 'https://developers.facebook.com/docs/whatsapp';
const pricing = `${whatsapp}/pricing`;

export const reviewedChanges: readonly ProviderChangeEntry[] = [
  {
    id: 'requests-without-old-parameters',
    kind: 'BREAKING',
    title: {
      en: 'No version takes `ids` and `date_format` any more, or answers 304',
      fr: "Aucune version n'accepte plus `ids` et `date_format`, ni ne répond 304",
    },
    on: day('2026-10-27'),
    affects: ['requests'],
    concerns: connected,
    action: null,
    source: changelog,
    revisedAt,
  },
  {
    id: 'hosted-signup-2-ends',
    kind: 'BREAKING',
    title: {
      en: 'Version 2 of the hosted signup ends; version 4 takes its place',
      fr: "La version 2 de l'inscription hébergée prend fin ; la version 4 la remplace",
    },
    on: month('2026-10'),
    affects: ['EMBEDDED_SIGNUP'],
    concerns: connected,
    action: null,
    source: `${whatsapp}/embedded-signup`,
    revisedAt,
  },
  {
    id: 'service-messages-charged',
    kind: 'PRICING',
    title: {
      en: 'Service messages cost the utility rate after 1,000 a month and number; utility templates cost within the window too',
      fr: 'Les messages de service coûtent le tarif utilitaire au-delà de 1 000 par mois et par numéro ; les modèles utilitaires coûtent aussi dans la fenêtre',
    },
    on: day('2026-10-01'),
    affects: ['SERVICE_WINDOW_MESSAGES', 'UTILITY_TEMPLATES'],
    concerns: connected,
    action: {
      en: 'Plan for what answers cost, and see the rate card in force.',
      fr: 'Prévoyez ce que coûtent les réponses et consultez la grille tarifaire en vigueur.',
    },
    source: pricing,
    revisedAt,
  },
  {
    id: 'registration-pin-retired',
    kind: 'POLICY',
    title: {
      en: 'The registration PIN begins to be retired for eligible numbers',
      fr: "Le code d'enregistrement commence à disparaître pour les numéros éligibles",
    },
    on: day('2026-09-23'),
    affects: ['NUMBER_MIGRATION'],
    concerns: connected,
    action: null,
    source: whatsapp,
    revisedAt,
  },
  {
    id: 'bsuid-recipients',
    kind: 'FEATURE',
    title: {
      en: 'Messages can be sent to a business-scoped user id',
      fr: "Des messages peuvent être envoyés à un identifiant d'utilisateur propre à l'entreprise",
    },
    on: month('2026-05'),
    affects: ['BSUID_RECIPIENTS'],
    concerns: connected,
    action: null,
    source: whatsapp,
    revisedAt,
  },
  {
    id: 'people-without-phone-number',
    kind: 'BREAKING',
    title: {
      en: 'People with a username may write without showing their phone number',
      fr: "Les personnes ayant un nom d'utilisateur peuvent écrire sans montrer leur numéro",
    },
    on: month('2026-04'),
    affects: ['BSUID_RECIPIENTS', 'USERNAME_RECIPIENTS'],
    concerns: connected,
    action: {
      en: 'Let systems that receive events know people by their contact SID, not by a phone number.',
      fr: 'Que les systèmes qui reçoivent les événements connaissent les personnes par leur SID de contact et non par un numéro.',
    },
    source: whatsapp,
    revisedAt,
  },
  {
    id: 'limits-cut-for-wrong-categories',
    kind: 'POLICY',
    title: {
      en: 'Sending limits are cut for templates in a wrong category',
      fr: "Les limites d'envoi sont réduites pour les modèles de mauvaise catégorie",
    },
    on: month('2026-04'),
    affects: ['OPENING_TEMPLATES', 'SERVICE_WINDOW_MESSAGES'],
    concerns: connected,
    action: {
      en: 'Look over the categories of your templates.',
      fr: 'Vérifiez les catégories de vos modèles.',
    },
    source: pricing,
    revisedAt,
  },
  {
    id: 'number-limit-fields-removed',
    kind: 'BREAKING',
    title: {
      en: 'Reports on the quality of a number lose the fields of its former limit',
      fr: "Les rapports sur la qualité d'un numéro perdent les champs de son ancienne limite",
    },
    on: month('2026-02'),
    affects: ['callbacks'],
    concerns: connected,
    action: null,
    source: whatsapp,
    revisedAt,
  },
  {
    id: 'marketing-messages-for-all',
    kind: 'FEATURE',
    title: {
      en: 'Marketing messages by their own transport are generally available',
      fr: 'Les messages marketing par leur propre transport sont disponibles pour tous',
    },
    on: day('2025-11-19'),
    affects: ['MARKETING_MESSAGES'],
    concerns: marketing,
    action: null,
    source: whatsapp,
    revisedAt,
  },
  {
    id: 'inbound-media-for-a-week',
    kind: 'POLICY',
    title: {
      en: 'Files people send can be fetched from the provider for 7 days',
      fr: 'Les fichiers reçus peuvent être récupérés auprès du fournisseur pendant 7 jours',
    },
    on: day('2025-10-09'),
    affects: ['media'],
    concerns: connected,
    action: null,
    source: whatsapp,
    revisedAt,
  },
  {
    id: 'reports-without-conversation',
    kind: 'BREAKING',
    title: {
      en: 'From v24.0 reports leave out the conversation, and portfolio limits come in other fields',
      fr: "À partir de v24.0 les rapports omettent la conversation et les limites du portefeuille viennent dans d'autres champs",
    },
    on: day('2025-10-08'),
    affects: ['v24.0', 'CONVERSATION_REPORTS', 'PORTFOLIO_LIMIT_REPORTS'],
    concerns: speaksFrom('v24.0'),
    action: null,
    source: changelog,
    revisedAt,
  },
  {
    id: 'limit-of-the-portfolio',
    kind: 'POLICY',
    title: {
      en: 'The messaging limit is counted for the whole portfolio',
      fr: "La limite d'envoi est comptée pour tout le portefeuille",
    },
    on: day('2025-10-07'),
    affects: ['OPENING_TEMPLATES'],
    concerns: connected,
    action: null,
    source: whatsapp,
    revisedAt,
  },
  {
    id: 'priced-by-message',
    kind: 'PRICING',
    title: {
      en: 'Delivered messages are charged, no longer conversations',
      fr: 'Les messages délivrés sont facturés, et non plus les conversations',
    },
    on: day('2025-07-01'),
    affects: ['prices'],
    concerns: connected,
    action: null,
    source: pricing,
    revisedAt,
  },
  {
    id: 'no-marketing-to-the-usa',
    kind: 'POLICY',
    title: {
      en: 'Marketing to numbers of the USA is paused',
      fr: 'Le marketing vers les numéros des États-Unis est suspendu',
    },
    on: day('2025-04-01'),
    affects: ['OPENING_TEMPLATES', 'MARKETING_MESSAGES'],
    concerns: connected,
    action: null,
    source: pricing,
    revisedAt,
  },
];
