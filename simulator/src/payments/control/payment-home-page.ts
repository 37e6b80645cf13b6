// What a person sees who opens the payment simulator's address.
import { asHtml, code, overview, row } from '../../http/html.ts';
import { testCards } from '../objects/cards.ts';

const controls: [string, string][] = [
  ['GET /_control/counts', 'how many charges, refunds, disputes and webhooks there were'],
  ['GET /_control/charges?metadata=…', 'what was charged with this value in its metadata, and how often'],
  ['POST /_control/sessions/{id}/pay', 'pay without the page: {"number", "authenticate"}'],
  [
    'POST /_control/disputes, /disputes/{id}/close',
    'dispute a charge: {"charge"}; end it: {"outcome": "won"}',
  ],
  ['POST /_control/webhooks', 'an endpoint: {"url", "secrets", "events"}'],
  ['POST /_control/rules', 'faults: {"match", "behaviour", "count", "probability"}'],
  ['PATCH /_control/settings', 'delays, fees, repeated, reordered and lost webhooks'],
  ['POST /_control/advance', 'move the clock: {"ms"}'],
  ['POST /_control/reset', 'forget rules and what was sent; {"everything": true} forgets all objects'],
];

export const paymentHomePage = (): string =>
  overview(
    'Payment simulator',
    `<h1>The payment service, simulated</h1>
<p>It speaks the wire format of Stripe for checkout by card, and sends signed webhooks. No money moves.</p>
<h2>Test cards</h2>
<p>With any name, any date to come and any security code.</p>
<table>${testCards.map(({ number, means }) => row(code(number), asHtml(means))).join('\n')}</table>
<h2>Control</h2>
<table>${controls.map(([call, means]) => row(code(call), asHtml(means))).join('\n')}</table>`,
  );
