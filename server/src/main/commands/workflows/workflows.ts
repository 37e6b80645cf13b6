// What the operator sees of workflows in a terminal.
import { readFile } from 'node:fs/promises';
import { buffer as bytesOf } from 'node:stream/consumers';
import {
  explainEvent,
  formerDecisions,
  getWorkflow,
  loadDefinition,
  loadWorkflow,
  overviewOfWorkflows,
  TestRequest,
  testWorkflow,
  type WorkflowTest,
} from '../../../modules/workflows/index.ts';
import { ConfigError } from '../../../platform/config.ts';
import type { RequestContext, Tenant, TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { parseJsonBody } from '../../../platform/http/input/json-body.ts';
import { judgeBy } from '../../../platform/http/input/validation.ts';
import { asOperator, type CommandContext } from '../../process/keys.ts';
import { type Explained, tellDecision, tellTest, tellWorkflow } from './tell.ts';

type Print = (line: string) => void;

const mostListed = 100;

export async function printWorkflows(
  context: CommandContext,
  tenant: Tenant,
  { json }: { json?: boolean },
  print: Print,
): Promise<void> {
  const found = await context.database.read(tenant, asOperator(context, tenant.livemode), (t) =>
    overviewOfWorkflows(t, mostListed + 1),
  );
  const shown = found.slice(0, mostListed);
  if (json) return print(JSON.stringify(shown));
  for (const one of shown) print(tellWorkflow(one));
  if (found.length === 0) print('There are no workflows.');
  if (found.length > mostListed) print(`There are more: these are the newest ${mostListed}.`);
}

/** What conditions saw is for whoever may read contacts; the operator has the whole database before them. */
function asReader(context: CommandContext, livemode: boolean): RequestContext {
  const asked = asOperator(context, livemode);
  return { ...asked, principal: { ...asked.principal, scopesOn: () => new Set(['contacts:read']) } };
}

export async function printDecision(
  context: CommandContext,
  tenant: Tenant,
  { workflow, event, json }: { workflow: string; event: string; json?: boolean },
  print: Print,
): Promise<void> {
  await knowEvents();
  const explained = await refusing(tenant, { workflow, eventSid: event }, () =>
    context.database.read(tenant, asReader(context, tenant.livemode), (t) => explain(t, workflow, event)),
  );
  const { decision, former } = explained;
  if (json) return print(JSON.stringify({ ...decision, former }));
  for (const line of tellDecision(explained)) print(line);
}

async function explain(t: TenantTx, workflowSid: string, eventSid: string): Promise<Explained> {
  const workflow = await loadWorkflow(t, workflowSid);
  const decision = await explainEvent(t, workflowSid, eventSid);
  const version = workflow.publishedVersion ?? workflow.latestVersion;
  const { conditions } = await loadDefinition(t, workflowSid, version);
  const former = await formerDecisions(t, workflowSid, eventSid);
  return { workflow, version, conditions, decision, former };
}

export type Trying = {
  payload?: string;
  eventType?: string;
  contact?: string;
  conversation?: string;
  message?: string;
};

/** Tells how the test ended; null where the workflow would not have started. */
export async function printTest(
  context: CommandContext,
  tenant: Tenant,
  { workflow: sid, json, ...trying }: Trying & { workflow: string; json?: boolean },
  print: Print,
): Promise<WorkflowTest['status']> {
  await knowEvents();
  const { database } = context;
  const asked = asOperator(context, tenant.livemode);
  return refusing(tenant, { workflow: sid }, async () => {
    const workflow = await database.read(tenant, asked, (t) => getWorkflow(t, sid));
    const request = await requestOf(trying, workflow.definition.trigger.eventTypes[0]!);
    const write = <T>(work: (t: TenantTx) => Promise<T>) => database.write(tenant, asked, work);
    const test = await testWorkflow({ ...asked, ...tenant, database, write }, sid, request);
    const lines = json ? [JSON.stringify(test)] : tellTest(workflow, test);
    for (const line of lines) print(line);
    return test.status;
  });
}

/** Which events there are is known once every feature is loaded. */
const knowEvents = () => import('../../modules.ts');

const judgeRequest = judgeBy(TestRequest);

/** What the API takes, judged as it does. */
async function requestOf(trying: Trying, usual: string): Promise<TestRequest> {
  const { payload: file, eventType = usual, contact, conversation, message } = trying;
  const request = {
    eventType,
    ...(contact !== undefined && { contactSid: contact }),
    ...(conversation !== undefined && { conversationSid: conversation }),
    ...(message !== undefined && { messageSid: message }),
    ...(file !== undefined && { payload: await readPayload(file) }),
  };
  const details = judgeRequest(request);
  if (details.length > 0) throw new ApiError('VALIDATION_ERROR', { details });
  return request as TestRequest;
}

async function readPayload(file: string): Promise<unknown> {
  const raw = await (file === '-' ? bytesOf(process.stdin) : readFile(file)).catch((error) => {
    throw new ConfigError(`${file} cannot be read: ${error.message}`);
  });
  try {
    return parseJsonBody(raw);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const details = error.facts.details!.map(({ path, issue }) => ({
      path: path === 'body' ? 'payload' : `payload.${path}`,
      issue,
    }));
    throw new ApiError('VALIDATION_ERROR', { details });
  }
}

/** What the API would refuse with paths, in one line. */
async function refusing<T>(
  { livemode }: Tenant,
  { workflow, eventSid }: { workflow: string; eventSid?: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { details } = error.facts;
    if (error.code === 'NOT_FOUND' && !details) {
      const environment = livemode ? 'live environment' : 'sandbox';
      throw new ConfigError(`There is no workflow ${workflow} in this account's ${environment}.`);
    }
    if (!details) throw error;
    const said = details.map(({ path, issue }) =>
      path === 'eventSid' ? `${eventSid} ${issue}` : `${path}: ${issue}`,
    );
    throw new ConfigError(`${said.join('; ')}.`);
  }
}
