// The hosted pages and what their forms do. A payment is judged and made in one step, so two tabs cannot pay twice.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { goTo as go, showPage as show } from '../../http/hosted-pages.ts';
import { answerChallenge } from '../moves/charging.ts';
import { sessionOf } from '../moves/completion.ts';
import { expireSession, paySession } from '../moves/sessions.ts';
import { nowS, type Payments } from '../objects/payments.ts';
import type { IntentRow, SessionRow } from '../objects/rows.ts';
import { type CardForm, type CardMistakes, checkCard, emptyCard, readCard } from './card-form.ts';
import * as pages from './pages.ts';

export function addCheckoutRoutes(app: FastifyInstance, payments: Payments): void {
  const { tables } = payments;

  app.get<{ Params: { id: string } }>('/c/pay/:id', (request, reply) => {
    const session = tables.sessions.get(request.params.id);
    if (!session) return show(reply, 404, pages.unknownPage());
    if (!isOpen(payments, session)) return showOver(reply, session);
    return showForm(payments, reply, 200, session, emptyCard, {});
  });

  app.post<{ Params: { id: string }; Body: string }>('/c/pay/:id', (request, reply) => {
    const session = tables.sessions.get(request.params.id);
    if (!session) return show(reply, 404, pages.unknownPage());
    if (!isOpen(payments, session)) return showOver(reply, session);
    const given = readCard(request.body);
    const checked = checkCard(given, new Date(payments.timeline.nowMs()));
    if ('mistakes' in checked) return showForm(payments, reply, 400, session, given, checked.mistakes);
    const intent = paySession(payments, session, checked.card);
    if (intent.status === 'requires_action') return go(reply, intent.next_action!.redirect_to_url!.url!);
    if (intent.last_payment_error) return showForm(payments, reply, 402, session, given, {});
    return go(reply, pages.successUrl(session));
  });

  app.get<{ Params: { id: string; token: string } }>('/3ds/:id/:token', (request, reply) => {
    const { id, token } = request.params;
    const challenge = tables.challenges.get(id);
    const intent = tables.intents.get(id);
    if (!intent) return show(reply, 404, pages.unknownPage());
    if (challenge?.token !== token) return goOn(payments, reply, intent);
    return show(reply, 200, pages.challengePage(intent, tables.methods.get(challenge.method)!.card!.last4));
  });

  app.post<{ Params: { id: string; token: string }; Body: string }>('/3ds/:id/:token', (request, reply) => {
    const { id, token } = request.params;
    const intent = tables.intents.get(id);
    if (!intent) return show(reply, 404, pages.unknownPage());
    const session = sessionOf(payments, intent);
    const returnUrl = intent.next_action?.redirect_to_url?.return_url ?? null;
    // Nobody may pay by a link that has expired, even if they began before.
    if (session && !isOpen(payments, session)) return showOver(reply, session);
    const passed = new URLSearchParams(request.body).get('outcome') === 'complete';
    if (!answerChallenge(payments, intent, token, passed) || session) return goOn(payments, reply, intent);
    return returnUrl === null ? show(reply, 200, pages.overPage()) : go(reply, backTo(returnUrl, intent));
  });

  app.get<{ Params: { id: string } }>('/receipts/:id', (request, reply) => {
    const charge = tables.charges.get(request.params.id);
    if (!charge?.paid) return show(reply, 404, pages.unknownPage());
    return show(reply, 200, pages.receiptPage(charge.id, pages.money(charge.amount, charge.currency)));
  });
}

/** Where a payer goes whose bank has been asked: on if it is paid, else back to the form, which says why. */
function goOn(payments: Payments, reply: FastifyReply, intent: IntentRow) {
  const session = sessionOf(payments, intent);
  if (!session) return show(reply, 200, pages.overPage());
  return go(reply, session.status === 'complete' ? pages.successUrl(session) : `/c/pay/${session.id}`);
}

function backTo(url: string, intent: IntentRow): string {
  const target = new URL(url);
  target.searchParams.set('payment_intent', intent.id);
  target.searchParams.set('payment_intent_client_secret', intent.client_secret!);
  target.searchParams.set('redirect_status', intent.status === 'succeeded' ? 'succeeded' : 'failed');
  return target.href;
}

/** One whose time is over expires now, if nothing let it expire before. */
function isOpen(payments: Payments, session: SessionRow): boolean {
  if (session.expires_at <= nowS(payments)) expireSession(payments, session);
  return session.status === 'open';
}

const showOver = (reply: FastifyReply, session: SessionRow) =>
  session.status === 'complete'
    ? show(reply, 200, pages.paidPage(session))
    : show(reply, 410, pages.expiredPage(session));

function showForm(
  { tables }: Payments,
  reply: FastifyReply,
  status: number,
  session: SessionRow,
  given: CardForm,
  mistakes: CardMistakes,
) {
  const { last_payment_error: error } = tables.intents.get(session.payment_intent ?? '') ?? {};
  const wrongFields = Object.keys(mistakes).length > 0;
  const problem = wrongFields ? 'Check the fields below.' : (error?.message ?? null);
  return show(
    reply,
    status,
    pages.payPage(session, tables.plans.get(session.id)!, { given, mistakes, problem }),
  );
}
