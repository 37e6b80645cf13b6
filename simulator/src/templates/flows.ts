// Flows, as far as sending them and following their state needs.

import { GraphError } from '../errors.ts';
import type { Call } from '../http/http.ts';
import { choose, pageOf } from '../http/listing.ts';
import { readForm } from '../http/multipart.ts';
import { fromJson } from '../http/shape.ts';
import { appOf, wabaSummary } from '../numbers/accounts.ts';
import type { Simulation } from '../simulation.ts';
import { type Flow, requireOfWaba, requireWaba } from '../world.ts';

const done = { success: true } as const;
const categories = [
  'SIGN_UP',
  'SIGN_IN',
  'APPOINTMENT_BOOKING',
  'LEAD_GENERATION',
  'CONTACT_US',
  'CUSTOMER_SUPPORT',
  'SURVEY',
  'OTHER',
];
const defaultFields = ['name', 'status', 'categories', 'validation_errors'];

const fieldsOf = async (call: Call): Promise<Record<string, unknown>> =>
  /^multipart/i.test(call.request.headers['content-type'] ?? '')
    ? (await readForm(call)).fields
    : call.fields;

export async function createFlow(call: Call): Promise<{ id: string }> {
  const { simulation, tenant, id } = call;
  const waba = requireWaba(simulation.world, tenant, id);
  const { name, categories: given, endpoint_uri, flow_json, publish } = await fieldsOf(call);
  if (typeof name !== 'string' || name === '') throw new GraphError(100, 'The parameter name is required.');
  const chosen = typeof given === 'string' ? fromJson(given, 'categories') : (given ?? []);
  if (!Array.isArray(chosen) || chosen.length === 0 || !chosen.every((one) => categories.includes(one)))
    throw new GraphError(100, `categories must be some of ${categories.join(', ')}.`);
  if (flowsOf(simulation, waba.id).some((flow) => flow.name === name))
    throw new GraphError(100, 'A flow of this name exists.', {
      subcode: 4016019,
      userTitle: 'Name is taken',
    });
  const flow: Flow = {
    id: simulation.random.id(),
    wabaId: waba.id,
    name,
    status: 'DRAFT',
    categories: chosen,
    endpointUri: typeof endpoint_uri === 'string' ? endpoint_uri : null,
    json: typeof flow_json === 'string' ? flow_json : null,
    updatedMs: simulation.timeline.nowMs(),
    sentMs: [],
  };
  simulation.world.flows.set(flow.id, flow);
  if (publish === true || publish === 'true') changeStatus(simulation, flow, 'PUBLISHED');
  simulation.world.changed();
  return { id: flow.id };
}

const flowsOf = ({ world }: Simulation, wabaId: string) =>
  [...world.flows.values()].filter((flow) => flow.wabaId === wabaId);

// A preview is looked at for a while and then asked for again.
const previewMs = 30 * 86_400_000;

function view(call: Call, flow: Flow) {
  const { world, timeline } = call.simulation;
  const application = appOf(call.simulation);
  return {
    id: flow.id,
    name: flow.name,
    status: flow.status,
    categories: flow.categories,
    validation_errors: [],
    json_version: '7.0',
    ...(flow.endpointUri !== null && {
      data_api_version: '3.0',
      data_channel_uri: flow.endpointUri,
      endpoint_uri: flow.endpointUri,
    }),
    preview: {
      preview_url: `${application.link}flows/${flow.id}/preview`,
      expires_at: wireTime(timeline.nowMs() + previewMs),
    },
    whatsapp_business_account: wabaSummary(world.wabas.get(flow.wabaId)!),
    application,
    updated_at: wireTime(flow.updatedMs),
    health_status: { can_send_message: flow.status === 'BLOCKED' ? 'BLOCKED' : 'AVAILABLE', entities: [] },
  };
}

/** `2026-08-21T10:00:00+0000` */
const wireTime = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, '+0000');

export function listFlows(call: Call) {
  const { simulation, tenant, id, fields, request } = call;
  const waba = requireWaba(simulation.world, tenant, id);
  const page = pageOf(
    request,
    flowsOf(simulation, waba.id).map((flow) => view(call, flow)),
  );
  return { ...page, data: page.data.map((flow) => choose(flow, fields.fields, defaultFields)) };
}

export const readFlow = (call: Call, flow: Flow) =>
  choose(view(call, flow), call.fields.fields, defaultFields);

const requireFlow = ({ simulation, tenant, id }: Call) =>
  requireOfWaba(simulation.world, tenant, simulation.world.flows, id);

export async function uploadFlowJson(call: Call) {
  const flow = requireFlow(call);
  const { fields, file } = await readForm(call);
  if (fields.asset_type !== 'FLOW_JSON' || !file)
    throw new GraphError(100, 'file and asset_type=FLOW_JSON are required.');
  if (flow.status !== 'DRAFT') throw new GraphError(139001, 'A published flow cannot be updated.');
  const text = file.bytes.toString();
  try {
    JSON.parse(text);
  } catch (error) {
    const fault = {
      error: 'INVALID_JSON',
      error_type: 'JSON_SCHEMA_ERROR',
      message: (error as Error).message,
    };
    return {
      success: true,
      validation_errors: [{ ...fault, line_start: 1, line_end: 1, column_start: 1, column_end: 1 }],
    };
  }
  flow.json = text;
  touch(call.simulation, flow);
  return { success: true, validation_errors: [] };
}

function touch({ world, timeline }: Simulation, flow: Flow): void {
  flow.updatedMs = timeline.nowMs();
  world.changed();
}

export async function changeFlow(call: Call) {
  const flow = requireFlow(call);
  const { name, endpoint_uri } = await fieldsOf(call);
  if (typeof name === 'string') flow.name = name;
  if (typeof endpoint_uri === 'string') flow.endpointUri = endpoint_uri;
  touch(call.simulation, flow);
  return done;
}

export function changeStatus(simulation: Simulation, flow: Flow, status: string): void {
  const value = {
    event: 'FLOW_STATUS_CHANGE',
    message: `Flow status changed from ${flow.status} to ${status}`,
    flow_id: flow.id,
    old_status: flow.status,
    new_status: status,
  };
  flow.status = status;
  touch(simulation, flow);
  const timeS = Math.floor(simulation.timeline.nowMs() / 1000);
  simulation.notify({ wabaId: flow.wabaId, field: 'flows', kind: 'value', value, timeS });
}

export function publishFlow(call: Call) {
  const flow = requireFlow(call);
  if (flow.status !== 'DRAFT') throw new GraphError(139002, 'Only a draft can be published.');
  if (flow.json === null) throw new GraphError(139002, 'The flow has no valid JSON yet.');
  changeStatus(call.simulation, flow, 'PUBLISHED');
  return done;
}

export function deprecateFlow(call: Call) {
  const flow = requireFlow(call);
  if (flow.status !== 'PUBLISHED') throw new GraphError(139003, 'Only a published flow can be deprecated.');
  changeStatus(call.simulation, flow, 'DEPRECATED');
  return done;
}

export function deleteFlow(call: Call) {
  const flow = requireFlow(call);
  if (flow.status !== 'DRAFT') throw new GraphError(139004, 'A published flow cannot be deleted.');
  call.simulation.world.flows.delete(flow.id);
  call.simulation.world.changed();
  return done;
}
