// How live payments are taken. The sandbox needs none of this: its keys follow from the master key.
import { url, type Variable } from '../../platform/config.ts';

function liveKey(text: string): string | null {
  if (text === '') return null;
  // A test key would fill live wallets by cards that cost nobody anything.
  if (!/^[sr]k_live_\w+$/.test(text)) throw new Error('must be a live key, sk_live_… or rk_live_…');
  return text;
}

function webhookSecrets(text: string): string[] {
  const secrets = text.split(',').flatMap((part) => part.trim() || []);
  if (secrets.length > 2) throw new Error('must be one secret, or two separated by a comma');
  if (secrets.some((secret) => !/^whsec_\S+$/.test(secret))) throw new Error('must begin with whsec_');
  return secrets;
}

export const paymentVariables = {
  paymentSecretKey: {
    name: 'PAYMENT_SECRET_KEY',
    fallback: '',
    means: "Stripe's secret key for live payments; without it no live payment is taken",
    read: liveKey,
  },
  paymentWebhookSecrets: {
    name: 'PAYMENT_WEBHOOK_SECRET',
    fallback: '',
    means:
      'The secret Stripe signs the webhooks to /payments/callbacks/live with; two separated by a comma while it is rolled',
    read: webhookSecrets,
  },
  paymentBaseUrl: {
    name: 'PAYMENT_BASE_URL',
    fallback: 'https://api.stripe.com',
    means: 'Where Stripe answers live calls',
    read: (text) => url(['https', 'http'])(text)!,
  },
} satisfies Record<string, Variable<unknown>>;
