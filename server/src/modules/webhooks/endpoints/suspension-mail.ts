import type { MailLocale, MailText } from '../../mails/index.ts';

type Facts = { endpointSid: string; origin: string; livemode: boolean };

export function suspensionMail(locale: MailLocale, { endpointSid, origin, livemode }: Facts): MailText {
  return locale === 'fr'
    ? {
        subject: `Webhook suspendu : ${origin}`,
        lines: [
          `Votre point de réception ${origin} (${endpointSid}, environnement ${livemode ? 'live' : 'sandbox'}) n'accepte plus nos événements depuis un certain temps. Nous l'avons suspendu.`,
          'Le journal de ses livraisons dit ce qui a échoué. Une fois réparé, reprenez-le (resume), puis redemandez ce qui a manqué : POST …/deliveries/retry avec {"state":"failed"}. Rien n\'est perdu.',
        ],
      }
    : {
        subject: `Webhook suspended: ${origin}`,
        lines: [
          `Your endpoint ${origin} (${endpointSid}, ${livemode ? 'live' : 'sandbox'} environment) has not accepted our events for some time. We suspended it.`,
          'The log of its deliveries says what failed. Once it is repaired, resume it and ask for what it missed: POST …/deliveries/retry with {"state":"failed"}. Nothing is lost.',
        ],
      };
}
