import type { NotificationType } from '../../platform/notifications.ts';
import { tellAuditors } from '../audit/index.ts';

export const apiKeyNotifications: NotificationType[] = [
  tellAuditors('api_key.created', {
    en: ({ resource }) => ({
      title: 'An API key was created',
      body: `The API key ${resource} was created. If nobody you know did that, disable it; the audit events say who did.`,
    }),
    fr: ({ resource }) => ({
      title: "Une clé d'API a été créée",
      body: `La clé d'API ${resource} a été créée. Si ce n'est personne que vous connaissez, désactivez-la ; le journal d'audit dit qui l'a fait.`,
    }),
  }),
  tellAuditors('api_key.changed', {
    en: ({ resource }) => ({
      title: 'An API key was changed',
      body: `The settings of the API key ${resource} were changed. The audit events say what was changed, and by whom.`,
    }),
    fr: ({ resource }) => ({
      title: "Une clé d'API a été modifiée",
      body: `Les réglages de la clé d'API ${resource} ont été modifiés. Le journal d'audit dit ce qui a été modifié, et par qui.`,
    }),
  }),
  tellAuditors('api_key.rotated', {
    en: ({ resource }) => ({
      title: 'An API key was rotated',
      body: `The API key ${resource} has a new secret. Programs that use the old one are refused from now on.`,
    }),
    fr: ({ resource }) => ({
      title: "Une clé d'API a été renouvelée",
      body: `La clé d'API ${resource} a un nouveau secret. Les programmes qui utilisent l'ancien sont désormais refusés.`,
    }),
  }),
  tellAuditors('api_key.disabled', {
    en: ({ resource }) => ({
      title: 'An unused API key was disabled',
      body: `The API key ${resource} had not been used for a long time and was disabled, as the authentication policy asks.`,
    }),
    fr: ({ resource }) => ({
      title: "Une clé d'API inutilisée a été désactivée",
      body: `La clé d'API ${resource} n'avait pas servi depuis longtemps et a été désactivée, comme le demande la politique d'authentification.`,
    }),
  }),
];
