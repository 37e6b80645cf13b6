import type { NotificationType } from '../../platform/notifications.ts';
import { tellAuditors } from '../audit/index.ts';

export const identityNotifications: NotificationType[] = [
  tellAuditors('sign_in.break_glass', {
    en: ({ resource }) => ({
      title: 'An owner signed in by password',
      body: `${resource} signed in by password although the policy demands the identity provider. Owners keep this way in for the day the provider fails; if it works, ask why it was taken.`,
    }),
    fr: ({ resource }) => ({
      title: "Un propriétaire s'est connecté par mot de passe",
      body: `${resource} s'est connecté par mot de passe alors que la politique exige le fournisseur d'identité. Les propriétaires gardent cet accès pour le jour où le fournisseur est en panne ; s'il fonctionne, demandez pourquoi.`,
    }),
  }),
  tellAuditors(
    'mfa_credential.deleted',
    {
      en: ({ userSid }) => ({
        title: 'A second factor was removed',
        body: `${userSid} removed one of their second factors.`,
      }),
      fr: ({ userSid }) => ({
        title: 'Un second facteur a été supprimé',
        body: `${userSid} a supprimé un de ses seconds facteurs.`,
      }),
    },
    ({ userSid }) => userSid,
  ),
  tellAuditors('mfa.reset', {
    en: ({ resource }) => ({
      title: "Somebody's second factors were removed",
      body: `All second factors and recovery codes of ${resource} were removed, and their sessions ended.`,
    }),
    fr: ({ resource }) => ({
      title: "Les seconds facteurs d'une personne ont été supprimés",
      body: `Tous les seconds facteurs et codes de secours de ${resource} ont été supprimés, et ses sessions fermées.`,
    }),
  }),
  tellAuditors('identity_provider.activated', {
    en: ({ resource }) => ({
      title: 'An identity provider was activated',
      body: `The identity provider ${resource} is active: whoever it vouches for can enter.`,
    }),
    fr: ({ resource }) => ({
      title: "Un fournisseur d'identité a été activé",
      body: `Le fournisseur d'identité ${resource} est actif : les personnes dont il se porte garant peuvent entrer.`,
    }),
  }),
  tellAuditors('identity_provider.suspended', {
    en: ({ resource }) => ({
      title: 'An identity provider was suspended',
      body: `The identity provider ${resource} is suspended, and the sessions it vouched for have ended.`,
    }),
    fr: ({ resource }) => ({
      title: "Un fournisseur d'identité a été suspendu",
      body: `Le fournisseur d'identité ${resource} est suspendu, et les sessions dont il se portait garant sont fermées.`,
    }),
  }),
  tellAuditors('auth_policy.changed', {
    en: () => ({
      title: 'The authentication policy was changed',
      body: 'How people of the organization sign in was changed. The audit events say what was changed, and by whom.',
    }),
    fr: () => ({
      title: "La politique d'authentification a été modifiée",
      body: "La manière dont les membres de l'organisation se connectent a été modifiée. Le journal d'audit dit ce qui a été modifié, et par qui.",
    }),
  }),
  tellAuditors('auth_policy.passwords_allowed', {
    en: () => ({
      title: 'Passwords work again',
      body: 'The operator of the service let people sign in by password again, whatever the policy said.',
    }),
    fr: () => ({
      title: 'Les mots de passe fonctionnent à nouveau',
      body: "L'exploitant du service a de nouveau autorisé la connexion par mot de passe, quoi qu'en dise la politique.",
    }),
  }),
];
