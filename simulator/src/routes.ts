// Every path of the wire, and who answers it.
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { acceptsFirst } from './behaviour.ts';
import { GraphError, unknownObject } from './errors.ts';
import { answerAs } from './http/answer.ts';
import { type Call, callOf, type Handler, requireApp, type Tenants } from './http/http.ts';
import { countManagementCall } from './http/management-calls.ts';
import * as media from './media/media.ts';
import * as uploads from './media/uploads.ts';
import { sendMessage } from './messages/messages.ts';
import * as accounts from './numbers/accounts.ts';
import * as adding from './numbers/adding-numbers.ts';
import * as credit from './numbers/credit-lines.ts';
import * as edges from './numbers/number-edges.ts';
import { listInvoices } from './numbers/partner-invoices.ts';
import * as numbers from './numbers/phone-numbers.ts';
import { debugToken, exchangeCode } from './signup/codes.ts';
import { addSignupRoutes } from './signup/signup-routes.ts';
import type { Simulation } from './simulation.ts';
import * as catalogs from './templates/catalogs.ts';
import * as flows from './templates/flows.ts';
import * as templates from './templates/templates.ts';
import { requireNumber, requireOfWaba, requireWaba } from './world.ts';

/** Edges of objects: `/{id}/{edge}`. */
const edgeHandlers: [HTTPMethods, string, Handler][] = [
  ['POST', 'media', media.uploadMedia],
  ['POST', 'uploads', uploads.openUpload],
  ['GET', 'message_templates', templates.listTemplates],
  ['POST', 'message_templates', templates.createTemplate],
  ['DELETE', 'message_templates', templates.deleteTemplates],
  ['POST', 'unpause', templates.unpauseTemplate],
  ['GET', 'phone_numbers', numbers.listNumbers],
  ['POST', 'phone_numbers', adding.addNumber],
  ['POST', 'request_code', adding.requestCode],
  ['POST', 'verify_code', adding.verifyCode],
  ['POST', 'register', numbers.registerNumber],
  ['POST', 'deregister', numbers.deregisterNumber],
  ['GET', 'whatsapp_business_profile', numbers.readProfile],
  ['POST', 'whatsapp_business_profile', numbers.updateProfile],
  ['GET', 'whatsapp_business_encryption', numbers.readEncryption],
  ['POST', 'whatsapp_business_encryption', numbers.setEncryption],
  ['POST', 'smb_app_data', numbers.syncAppData],
  ['GET', 'product_catalogs', accounts.listCatalogs],
  ['GET', 'products', catalogs.listProducts],
  ['POST', 'products', catalogs.addProduct],
  ['GET', 'extendedcredits', credit.listCreditLines],
  ['GET', 'business_invoices', listInvoices],
  ['GET', 'owning_credit_allocation_configs', credit.listAllocations],
  ['POST', 'whatsapp_credit_sharing_and_attach', credit.shareAndAttach],
  ['GET', 'subscribed_apps', accounts.listSubscribed],
  ['POST', 'subscribed_apps', accounts.subscribe],
  ['DELETE', 'subscribed_apps', accounts.unsubscribe],
  ['GET', 'block_users', edges.listBlocked],
  ['POST', 'block_users', edges.blockUsers],
  ['DELETE', 'block_users', edges.unblockUsers],
  ['GET', 'message_history', edges.messageHistory],
  ['GET', 'flows', flows.listFlows],
  ['POST', 'flows', flows.createFlow],
  ['POST', 'assets', flows.uploadFlowJson],
  ['POST', 'publish', flows.publishFlow],
  ['POST', 'deprecate', flows.deprecateFlow],
];

export function addRoutes(app: FastifyInstance, simulation: Simulation, tenants: Tenants): void {
  for (const endpoint of ['messages', 'marketing_messages'] as const) {
    app.post(`/:id/${endpoint}`, (request, reply) => {
      const { tenant, id, body } = callOf(simulation, tenants, request);
      const { answer, behaviour } = sendMessage(simulation, tenant, id, body, endpoint);
      return answerAs(simulation, behaviour, answer, request, reply);
    });
  }
  const answering =
    (path: string, handler: Handler) => async (request: FastifyRequest, reply: FastifyReply) => {
      const call = callOf(simulation, tenants, request);
      return ruled(simulation, { path, id: call.id }, request, reply, (judge) =>
        recorded(call, path, async () => {
          judge();
          countManagementCall(simulation, path, call.id, call.tenant.businessId);
          return handler(call);
        }),
      );
    };
  for (const [method, edge, handler] of edgeHandlers) {
    app.route({ method, url: `/:id/${edge}`, handler: answering(edge, handler) });
  }
  const onNode: [HTTPMethods, Handler][] = [
    ['GET', readNode],
    ['POST', changeNode],
    ['DELETE', deleteNode],
  ];
  for (const [method, handler] of onNode) {
    app.route({ method, url: '/:id', handler: answering('node', handler) });
  }
  addAppRoutes(app, simulation);
  addSignupRoutes(app, simulation);
  app.get(media.downloadPath, (request, reply) =>
    media.downloadMedia(callOf(simulation, tenants, request), reply),
  );
}

/** Answers as the first rule that fits says; `judge` refuses the call where it does. */
async function ruled(
  simulation: Simulation,
  { path, id }: { path: string; id: string },
  request: FastifyRequest,
  reply: FastifyReply,
  work: (judge: () => void) => unknown,
): Promise<unknown> {
  const behaviour = simulation.rules.pick({ path, phoneNumberId: id }) ?? {};
  const judge = () => {
    if (!behaviour.refuse) return;
    const { code, http } = behaviour.refuse;
    throw new GraphError(code, 'A rule refuses this call.', { http });
  };
  const accepts = behaviour.refuse || acceptsFirst(behaviour.answer);
  const body = accepts ? await work(judge) : {};
  return answerAs(simulation, behaviour, body as object, request, reply);
}

/** Remembers what came of a command; reading changes nothing. */
async function recorded(call: Call, path: string, work: () => unknown): Promise<unknown> {
  const { records, timeline } = call.simulation;
  const { method } = call.request;
  if (method === 'GET') return work();
  const outcome = (refusal: number | null, answer: unknown) =>
    records.commands.add({
      method,
      path,
      id: call.id,
      made: (answer as { id?: string } | null)?.id ?? null,
      refusal,
      atMs: timeline.nowMs(),
    });
  try {
    const answer = await work();
    outcome(null, answer);
    return answer;
  } catch (error) {
    outcome(error instanceof GraphError ? (error.extra.subcode ?? error.code) : 1, null);
    throw error;
  }
}

function addAppRoutes(app: FastifyInstance, simulation: Simulation): void {
  const fieldsOf = ({ query, body }: FastifyRequest) => ({ ...(query as object), ...(body as object) });
  app.post<{ Params: { id: string } }>('/:id/subscriptions', async (request) => {
    requireApp(simulation, request);
    countManagementCall(simulation, 'subscriptions', simulation.options.appId);
    return accounts.setSubscription(
      simulation,
      request.params.id,
      fieldsOf(request) as Record<string, string>,
    );
  });
  const { appId } = simulation.options;
  app.get<{ Querystring: { input_token?: string } }>('/debug_token', async (request, reply) => {
    requireApp(simulation, request);
    return ruled(simulation, { path: 'debug_token', id: appId }, request, reply, (judge) => {
      judge();
      countManagementCall(simulation, 'debug_token', appId);
      return debugToken(simulation, request.query.input_token ?? '');
    });
  });
  app.get<{ Querystring: Record<string, string> }>('/oauth/access_token', async (request, reply) =>
    ruled(simulation, { path: 'access_token', id: appId }, request, reply, (judge) => {
      judge();
      return exchangeCode(simulation, request.query);
    }),
  );
}

/** An object itself, whatever it is. */
function readNode(call: Call): unknown {
  const { simulation, tenant, id, fields } = call;
  const { world } = simulation;
  if (uploads.isUpload(id)) return uploads.uploadOffset(call);
  if (world.media.has(id)) return media.describeMedia(call);
  if (world.numbers.has(id)) return numbers.readNumber(call, requireNumber(world, tenant, id));
  if (world.wabas.has(id)) return accounts.readWaba(call, credit.requireReadableWaba(world, tenant, id));
  if (world.allocations.has(id))
    return credit.readAllocation(call, credit.requireAllocation(world, tenant, id));
  if (world.templates.has(id))
    return templates.readTemplate(requireOfWaba(world, tenant, world.templates, id), fields.fields);
  if (world.flows.has(id)) return flows.readFlow(call, requireOfWaba(world, tenant, world.flows, id));
  throw unknownObject(id);
}

function changeNode(call: Call): unknown {
  const { simulation, tenant, id } = call;
  const { world } = simulation;
  if (uploads.isUpload(id)) return uploads.uploadBytes(call);
  if (world.numbers.has(id))
    return numbers.changeNumber(call, (url, token) => accounts.verified(simulation, url, token));
  if (world.wabas.has(id)) return accounts.changeWaba(call, requireWaba(world, tenant, id));
  if (world.templates.has(id)) return templates.editTemplate(call);
  if (world.flows.has(id)) return flows.changeFlow(call);
  throw unknownObject(id);
}

function deleteNode(call: Call): unknown {
  const { world } = call.simulation;
  if (world.media.has(call.id)) return media.deleteMedia(call);
  if (world.flows.has(call.id)) return flows.deleteFlow(call);
  if (world.allocations.has(call.id)) return credit.revokeAllocation(call);
  throw unknownObject(call.id);
}
