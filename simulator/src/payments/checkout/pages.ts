// The hosted pages of the payment service.
import { hostedPage } from '../../http/hosted-pages.ts';
import { asHtml } from '../../http/html.ts';
import type { IntentRow, SessionPlan, SessionRow } from '../objects/rows.ts';
import type { CardForm, CardMistakes } from './card-form.ts';

const layout = (title: string, body: string) =>
  hostedPage(title, body, 'This page is simulated: no money moves. Use test cards only.');

export const money = (minor: number, currency: string): string =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).format(minor / 100);

const back = (session: SessionRow) =>
  session.cancel_url === null ? '' : `<p><a href="${asHtml(session.cancel_url)}">Back without paying</a></p>`;

type Shown = { given: CardForm; mistakes: CardMistakes; problem: string | null };

/** The form for a card. */
export function payPage(session: SessionRow, plan: SessionPlan, { given, mistakes, problem }: Shown): string {
  const total = money(session.amount_total!, session.currency!);
  const lines = plan.lineItems.map(
    ({ description, quantity, amount_total: amount, currency }) =>
      `<tr><td>${asHtml(description ?? '')}${quantity === 1 ? '' : ` × ${quantity}`}</td><td>${money(amount, currency)}</td></tr>`,
  );
  const field = (name: keyof CardForm, label: string, more: string) => {
    const mistake = mistakes[name];
    const said = mistake ? ` aria-invalid="true" aria-describedby="${name}-mistake"` : '';
    // A security code is never shown again.
    const value = name === 'cvc' ? '' : asHtml(given[name]);
    return `<div><label for="${name}">${label}</label>
<input id="${name}" name="${name}" value="${value}" required ${more}${said}>
${mistake ? `<p class="mistake" id="${name}-mistake">${asHtml(mistake)}</p>` : ''}</div>`;
  };
  return layout(
    `Pay ${total}`,
    `<h1>Pay ${total}</h1>
<table><thead><tr><th scope="col">Item</th><th scope="col">Amount</th></tr></thead><tbody>${lines.join('')}</tbody></table>
${problem ? `<p class="error" role="alert">${asHtml(problem)}</p>` : ''}
<form method="post" action="/c/pay/${asHtml(session.id)}">
${field('number', 'Card number', 'inputmode="numeric" autocomplete="cc-number" maxlength="30"')}
<div class="row">
${field('expiry', 'Expiry (MM/YY)', 'autocomplete="cc-exp" maxlength="7" placeholder="MM/YY"')}
${field('cvc', 'Security code', 'inputmode="numeric" autocomplete="cc-csc" maxlength="4"')}
</div>
${field('name', 'Name on card', 'autocomplete="cc-name" maxlength="200"')}
<button type="submit">Pay ${total}</button>
</form>
${plan.setupFutureUsage === null ? '' : '<p>The card is saved for later payments.</p>'}
${back(session)}`,
  );
}

export const challengePage = (intent: IntentRow, last4: string): string =>
  layout(
    'Confirm the payment',
    `<h1>Confirm the payment</h1>
<p>Your bank asks whether it is you who pays ${money(intent.amount, intent.currency)} with the card ending in ${asHtml(last4)}.</p>
<form method="post">
<button type="submit" name="outcome" value="complete">Complete authentication</button>
<button type="submit" name="outcome" value="fail">Fail authentication</button>
</form>`,
  );

export const paidPage = (session: SessionRow): string =>
  layout(
    'Already paid',
    `<h1>Already paid</h1>
<p>This has been paid. It is not charged again.</p>
<p><a href="${asHtml(successUrl(session))}">Continue</a></p>`,
  );

export const expiredPage = (session: SessionRow): string =>
  layout(
    'This link has expired',
    `<h1>This link has expired</h1>
<p>Nothing was charged. Ask for a new link to pay.</p>
${back(session)}`,
  );

export const receiptPage = (id: string, amount: string): string =>
  layout('Receipt', `<h1>Receipt</h1>\n<p>${asHtml(amount)} was paid.</p>\n<p>Charge ${asHtml(id)}</p>`);

export const overPage = (): string =>
  layout(
    'Nothing to confirm',
    '<h1>Nothing to confirm</h1>\n<p>This payment does not wait for your bank.</p>',
  );

export const unknownPage = (): string =>
  layout('Not found', '<h1>Not found</h1>\n<p>There is no such page.</p>');

export const successUrl = (session: SessionRow): string =>
  session.success_url!.replaceAll(/\{CHECKOUT_SESSION_ID\}|%7BCHECKOUT_SESSION_ID%7D/gi, session.id);
