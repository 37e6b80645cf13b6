// The control API: everything `control` can do, for whoever is not in this process. JSON in, JSON out, no token: the
// simulator holds nothing worth protecting, and listens on this machine unless told otherwise.
import type { FastifyInstance } from 'fastify';
import { answers } from '../behaviour.ts';
import { readSandboxToken, type SandboxPortfolio, sandboxToken } from '../http/access-token.ts';
import type { Wire } from '../http/shape.ts';
import type { InboundInput } from '../messages/inbound.ts';
import * as vendor from '../numbers/number-vendor.ts';
import { listPhones, pressButton, readPhone } from '../phones/phones.ts';
import { settingsProblem } from '../settings.ts';
import { newCode } from '../signup/codes.ts';
import type { Simulation } from '../simulation.ts';
import { changeStatus } from '../templates/flows.ts';
import {
  announceCategory,
  tellCategory,
  tellQuality,
  templateEvents,
} from '../templates/template-updates.ts';
import { categories } from '../templates/templates.ts';
import type { Control } from './control.ts';
import {
  addCommonControls,
  type ControlOf,
  checkedRule,
  controlOf,
  notThere,
  ok,
  span,
  wrong,
} from './control-http.ts';
import type { Editable } from './updates.ts';

export function addControlRoutes(app: FastifyInstance, simulation: Simulation, control: Control): void {
  const on = controlOf(app);
  on('GET', 'counts', () => control.counts());
  on('GET', 'messages', ({ query }) => messages(control, query));
  on('GET', 'commands', ({ query }) => control.commands(...span(query)));
  on('GET', 'messages/:id', ({ params }) => control.message(params.id!) ?? notThere('message', params.id!));
  addCommonControls(on, control, {
    settingsProblem: settingsProblem,
    ruleIn: (body) => checkedRule(body, ruleParts),
  });
  on('POST', 'inbound', ({ body }) => control.inbound(body as InboundInput));
  on('POST', 'preferences', ({ body }) => ok(() => control.marketingPreference(body)));
  on('POST', 'user-ids', ({ body }) => ok(() => control.userIdUpdate(body)));
  on('POST', 'callbacks', ({ body }) => ok(() => control.callback(body.wabaId, body.field, body.value)));
  on('POST', 'windows/close', ({ body }) => ok(() => control.closeWindow(String(body.from), body.to)));
  on('POST', 'people/forget', ({ body }) => {
    const { from, wabaIds = null } = body;
    if (typeof from !== 'string') throw wrong('"from" must be the number or the user id of a person.');
    if (wabaIds !== null && !isIds(wabaIds)) throw wrong('"wabaIds" must be a list of ids.');
    return control.forgetPerson(from, wabaIds);
  });
  on('POST', 'phones/list', ({ body }) => listPhones(simulation, body));
  on('POST', 'phones/read', ({ body }) => readPhone(simulation, body));
  on('POST', 'phones/press', ({ body }) => pressButton(simulation, body));
  on('POST', 'accounts', ({ body }) => provision(simulation, body));
  on('POST', 'signup-codes', ({ body }) => signupCode(simulation, body));
  addObjectRoutes(on, simulation, control);
  addVendorRoutes(on, simulation);
}

/** The carrier numbers come from, which stands beside the provider and asks for no token either. */
function addVendorRoutes(on: ControlOf, simulation: Simulation): void {
  const at = 'number-vendor';
  on('GET', `${at}/numbers`, ({ query }) => vendor.searchNumbers(simulation, query));
  on('POST', `${at}/orders`, ({ body }) => vendor.orderNumber(simulation, 'PURCHASE', body));
  on('POST', `${at}/ports`, ({ body }) => vendor.orderNumber(simulation, 'PORT', body));
  on('GET', `${at}/orders`, () => ({ data: [...simulation.world.numberOrders.values()] }));
  on('GET', `${at}/orders/:reference`, ({ params }) => vendor.readOrder(simulation, params.reference!));
  on('GET', `${at}/orders/:reference/code`, ({ params }) => vendor.readCode(simulation, params.reference!));
  on('DELETE', `${at}/orders/:reference`, ({ params }) =>
    vendor.releaseNumber(simulation, params.reference!),
  );
}

function addObjectRoutes(on: ControlOf, simulation: Simulation, control: Control): void {
  on('GET', 'wabas', () => ({ data: control.wabas() }));
  on('GET', 'phone-numbers', () => ({ data: control.phoneNumbers().map(({ pin, ...number }) => number) }));
  on('GET', 'templates', ({ query }) => ({ data: control.templates(query.wabaId) }));
  on('GET', 'flows', () => ({ data: control.flows() }));
  on('GET', 'credit-allocations', () => ({ data: control.creditAllocations() }));
  on('DELETE', 'credit-allocations/:id', ({ params }) =>
    control.forgetCreditAllocation(params.id!)
      ? { success: true }
      : notThere('credit allocation', params.id!),
  );
  const tables: Record<string, Editable> = {
    wabas: 'wabas',
    'phone-numbers': 'numbers',
    templates: 'templates',
    flows: 'flows',
    portfolios: 'portfolios',
  };
  for (const [path, table] of Object.entries(tables)) {
    on('PATCH', `${path}/:id`, ({ params, body }) => control.change(table, params.id!, body));
  }
  on('POST', 'wabas/:id/revoke-tokens', ({ params }) =>
    control.revokeTokens(params.id!) ? { success: true } : notThere('WABA', params.id!),
  );
  const template = (id: string) => simulation.world.templates.get(id) ?? notThere('template', id);
  on('POST', 'templates/:id/status', ({ params, body }) => {
    if (!templateEvents.includes(body.event))
      throw wrong(`"event" must be one of ${templateEvents.join(', ')}.`);
    return ok(() => control.templateStatus(params.id!, body.event, body.reason));
  });
  on('POST', 'templates/:id/quality', ({ params, body }) => {
    if (!['GREEN', 'YELLOW', 'RED', 'UNKNOWN'].includes(body.quality))
      throw wrong('"quality" must be GREEN, YELLOW, RED or UNKNOWN.');
    return ok(() => tellQuality(simulation, template(params.id!), body.quality));
  });
  on('POST', 'templates/:id/category', ({ params, body }) => {
    if (!categories.includes(body.category))
      throw wrong(`"category" must be one of ${categories.join(', ')}.`);
    const change = body.announced === true ? announceCategory : tellCategory;
    return ok(() => change(simulation, template(params.id!), body.category));
  });
  on('POST', 'flows/:id/status', ({ params, body }) => {
    const flow = simulation.world.flows.get(params.id!) ?? notThere('flow', params.id!);
    return ok(() => changeStatus(simulation, flow, String(body.status)));
  });
}

const isIds = (given: unknown): given is string[] =>
  Array.isArray(given) && given.every((id) => typeof id === 'string' && id !== '');

const ruleParts = {
  behaviours: [
    'refuse',
    'fail',
    'answer',
    'answerDelayMs',
    'statuses',
    'copies',
    'slowness',
    'offlineMs',
    'held',
    'pricing',
    'repricedAs',
    'unreported',
    'countedAs',
  ],
  answers: Object.keys(answers),
  matches: ['path', 'recipient', 'type', 'phoneNumberId', 'opaque'],
};

/** By the caller's own reference, how often and which; otherwise everything, page by page. */
function messages(control: Control, query: Record<string, string>) {
  if (query.opaque === undefined) return control.messages(...span(query));
  const data = control.messagesWithOpaque(query.opaque);
  return { data, count: data.length };
}

/** Makes a portfolio known without waiting for the first call, from its token or its facts; answers the token. */
function provision(simulation: Simulation, body: Wire): { token: string } {
  const token: string = body.token ?? sandboxToken(body as SandboxPortfolio);
  const portfolio = readSandboxToken(token);
  if (!portfolio) {
    throw wrong(
      'Give "token", or "businessId", "wabaId" and "phoneNumbers" of {"id", "number", "name"}, with ids of digits.',
    );
  }
  simulation.world.provision(token, portfolio, simulation.timeline.nowMs());
  return { token };
}

function signupCode(simulation: Simulation, body: Wire): { code: string; token: string } {
  const { token } = provision(simulation, body);
  return { code: newCode(simulation, token, null), token };
}
