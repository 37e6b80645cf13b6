// The control API of the payment simulator. JSON in, JSON out, no token: it holds nothing worth protecting.
import type { FastifyInstance } from 'fastify';
import { addCommonControls, checkedRule, controlOf, ok, wrong } from '../../control/control-http.ts';
import type { Wire } from '../../http/shape.ts';
import { declines } from '../objects/cards.ts';
import { type PaymentBehaviour, type PaymentMatch, ruleParts } from '../objects/payment-rules.ts';
import type { Endpoint } from '../objects/rows.ts';
import { paymentSettingsProblem } from '../settings.ts';
import type { PaymentControl } from './payment-control.ts';

export function addPaymentControlRoutes(app: FastifyInstance, control: PaymentControl): void {
  const on = controlOf(app);
  on('GET', 'counts', () => control.counts());
  on('GET', 'charges', ({ query }) => {
    const data = control.charges(query.metadata);
    return { data, count: data.length };
  });
  addCommonControls(on, control, { settingsProblem: paymentSettingsProblem, ruleIn: ruleIn });
  on('POST', 'sessions/:id/pay', ({ params, body }) => {
    if (typeof body.number !== 'string') throw wrong('"number" must be the number of a card.');
    return control.pay(params.id!, body);
  });
  on('POST', 'sessions/:id/expire', ({ params }) => ok(() => control.expire(params.id!)));
  on('POST', 'disputes', ({ body }) => control.dispute(String(body.charge), body));
  on('POST', 'disputes/:id/close', ({ params, body }) => {
    if (body.outcome !== 'won' && body.outcome !== 'lost') throw wrong('"outcome" must be won or lost.');
    return control.closeDispute(params.id!, body.outcome);
  });
  on('POST', 'refunds/:id', ({ params, body }) => {
    if (body.status !== 'succeeded' && body.status !== 'failed')
      throw wrong('"status" must be succeeded or failed.');
    return ok(() => control.changeRefund(params.id!, body.status, body.reason));
  });
  on('POST', 'events/:id/resend', ({ params }) => ok(() => control.resend(params.id!)));
  on('GET', 'webhooks', () => ({ data: control.endpoints() }));
  on('POST', 'webhooks', ({ body }) => {
    const { url, secrets } = endpointIn(body);
    if (!url || !secrets) throw wrong('A webhook endpoint needs "url" and "secrets".');
    return control.addEndpoint({ ...endpointIn(body), url, secrets });
  });
  on('PATCH', 'webhooks/:id', ({ params, body }) => control.changeEndpoint(params.id!, endpointIn(body)));
  on('DELETE', 'webhooks/:id', ({ params }) => ok(() => control.removeEndpoint(params.id!)));
}

function ruleIn(body: Wire) {
  const rule = checkedRule<PaymentMatch, PaymentBehaviour>(body, ruleParts);
  const { decline, settles, refuse } = rule.behaviour;
  if (decline !== undefined && !Object.hasOwn(declines, decline))
    throw wrong(`"decline" must be one of ${Object.keys(declines).join(', ')}.`);
  if (settles !== undefined && settles !== 'later' && settles !== 'never')
    throw wrong('"settles" must be later or never.');
  if (refuse !== undefined && !(Number.isInteger(refuse?.http) && refuse.http >= 400 && refuse.http < 600))
    throw wrong('"refuse" needs "http", an error status.');
  return rule;
}

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isTexts = (value: unknown) => Array.isArray(value) && value.length > 0 && value.every(isText);

function endpointIn(body: Wire): Partial<Omit<Endpoint, 'id'>> {
  const checks: Record<string, [(value: unknown) => boolean, string]> = {
    url: [(value) => isText(value) && URL.canParse(value as string), 'a URL'],
    secrets: [isTexts, 'a list of secrets, the newest first'],
    events: [isTexts, 'a list of types of events, or ["*"]'],
    enabled: [(value) => typeof value === 'boolean', 'true or false'],
  };
  for (const [name, value] of Object.entries(body)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check) throw wrong(`"${name}" is no part of a webhook endpoint.`);
    if (!check[0](value)) throw wrong(`"${name}" must be ${check[1]}.`);
  }
  return body;
}
