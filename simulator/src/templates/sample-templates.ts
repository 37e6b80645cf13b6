// The templates every simulated WABA begins with, approved. The server's sandbox stores the same ones under the same ids,
// so that neither has to ask the other.
import { createHash } from 'node:crypto';

export type SampleTemplate = {
  name: string;
  language: string;
  category: 'UTILITY' | 'MARKETING' | 'AUTHENTICATION';
  parameterFormat: 'POSITIONAL' | 'NAMED';
  /** In the provider's wire format. */
  components: Record<string, unknown>[];
};

const hello: SampleTemplate['components'] = [
  { type: 'HEADER', format: 'TEXT', text: 'Hello world' },
  { type: 'BODY', text: 'Welcome! If you can read this, your first message has arrived.' },
  { type: 'FOOTER', text: 'Sent from a sandbox' },
];

const named = (...params: [name: string, example: string][]) => ({
  body_text_named_params: params.map(([param_name, example]) => ({ param_name, example })),
});

export const sampleTemplates: SampleTemplate[] = [
  {
    name: 'hello_world',
    language: 'en',
    category: 'UTILITY',
    parameterFormat: 'POSITIONAL',
    components: hello,
  },
  // Also as `en_US`, the language under which the provider's own sample of this name is known.
  {
    name: 'hello_world',
    language: 'en_US',
    category: 'UTILITY',
    parameterFormat: 'POSITIONAL',
    components: hello,
  },
  {
    name: 'order_update',
    language: 'en',
    category: 'UTILITY',
    parameterFormat: 'NAMED',
    components: [
      {
        type: 'BODY',
        text: 'Hello {{first_name}}, your order {{order}} is on its way.',
        example: named(['first_name', 'Ines'], ['order', '77']),
      },
      { type: 'FOOTER', text: 'Thank you for your order' },
    ],
  },
  {
    name: 'order_update',
    language: 'fr',
    category: 'UTILITY',
    parameterFormat: 'NAMED',
    components: [
      {
        type: 'BODY',
        text: 'Bonjour {{first_name}}, votre commande {{order}} est en route.',
        example: named(['first_name', 'Ines'], ['order', '77']),
      },
      { type: 'FOOTER', text: 'Merci de votre commande' },
    ],
  },
  {
    name: 'appointment_reminder',
    language: 'en',
    category: 'UTILITY',
    parameterFormat: 'POSITIONAL',
    components: [
      {
        type: 'BODY',
        text: 'Hello {{1}}, we expect you on {{2}}. Does that still suit you?',
        example: { body_text: [['Ines', '3 May at 09:00']] },
      },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'Confirm' },
          { type: 'QUICK_REPLY', text: 'Reschedule' },
        ],
      },
    ],
  },
  {
    name: 'spring_offer',
    language: 'en',
    category: 'MARKETING',
    parameterFormat: 'POSITIONAL',
    components: [
      {
        type: 'BODY',
        text: 'Hello {{1}}, spring is here: {{2}} off everything until Sunday.',
        example: { body_text: [['Ines', '20%']] },
      },
      { type: 'FOOTER', text: 'Answer STOP to hear no more offers' },
    ],
  },
  {
    name: 'spring_offer',
    language: 'fr',
    category: 'MARKETING',
    parameterFormat: 'POSITIONAL',
    components: [
      {
        type: 'BODY',
        text: "Bonjour {{1}}, c'est le printemps : {{2}} de remise jusqu'à dimanche.",
        example: { body_text: [['Ines', '20 %']] },
      },
      { type: 'FOOTER', text: "Répondez STOP pour ne plus recevoir d'offres" },
    ],
  },
  {
    name: 'login_code',
    language: 'en',
    category: 'AUTHENTICATION',
    parameterFormat: 'POSITIONAL',
    components: [
      { type: 'BODY', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: 10 },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy code' }] },
    ],
  },
];

/** Sixteen digits that follow from the WABA and the template alone. */
export function sampleTemplateId(wabaId: string, name: string, language: string): string {
  const digest = createHash('sha256').update(`${wabaId}/${name}/${language}`).digest();
  return String(1_000_000_000_000_000n + (digest.readBigUInt64BE() % 9_000_000_000_000_000n));
}
