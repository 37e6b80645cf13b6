// A test run: what a workflow would do, found out in a transaction that PostgreSQL lets read and nothing else. What is stored is the
// trace alone, in another transaction afterwards.
import type { RequestContext, Tenant, TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { ApiError, invalid } from '../../../platform/errors/errors.ts';
import { judgeBy } from '../../../platform/http/input/validation.ts';
import type { Outside } from '../../../platform/http/operations/operation.ts';
import { newSid } from '../../../platform/ids.ts';
import { principalName } from '../../../platform/principal.ts';
import { consentsOf } from '../../consent/index.ts';
import { readContacts, survivorsOf } from '../../contacts/index.ts';
import { currentConversations } from '../../conversations/index.ts';
import { holdsOnAccount } from '../../inboxes/index.ts';
import { readMessages } from '../../messages/index.ts';
import { neededScopes } from '../analysis/needs.ts';
import { issuesOf } from '../analysis/window.ts';
import { factsNeeded } from '../conditions/facts.ts';
import { judgeConditions } from '../conditions/judge.ts';
import type { Definition } from '../definition/actions.ts';
import { maxSeconds } from '../definition/limits.ts';
import { knownCatalogue } from '../grammar/known-events.ts';
import { prepare } from '../interpreter/program.ts';
import { messageSidOf } from '../interpreter/replies.ts';
import { loadDefinition, loadWorkflow } from '../life/workflows.ts';
import { principalOf } from '../resources/principals.ts';
import { play } from './play.ts';
import { type About, dataOf } from './samples-of-events.ts';
import { Simulation, type TestRequest, type WorkflowTest } from './schema.ts';
import { createWorld } from './world.ts';

/** What everything a run sees of a contact takes. */
const reading = 'contacts:read';
const keptMs = 7 * 24 * 60 * 60 * 1000;

/** A call of the API, or as much of one as the command line has. */
type Caller = RequestContext & Tenant & Pick<Outside, 'database' | 'write'>;

export async function testWorkflow(
  call: Caller,
  workflowSid: string,
  request: TestRequest,
): Promise<WorkflowTest> {
  const tenant = { accountSid: call.accountSid, livemode: call.livemode };
  const result = await call.database.write(tenant, call, (t) => tryOut(t, workflowSid, request), {
    readsOnly: true,
  });
  await call.write((t) => storeTest(t, result));
  return result;
}

/** Reads, plays and writes nothing. */
export async function tryOut(t: TenantTx, workflowSid: string, request: TestRequest): Promise<WorkflowTest> {
  const { latestVersion: version } = await loadWorkflow(t, workflowSid);
  const definition = await loadDefinition(t, workflowSid, version);
  const { simulation, given } = readRequest(request, definition);
  const about = await loadAbout(t, request);
  const startAt = simulation.startAt === undefined ? t.now : new Date(simulation.startAt);
  const { eventType } = request;
  const event = dataOf(t, about, { eventType, given, now: startAt });
  const sid = newSid('WR', t.now);
  const timeoutAt = new Date(startAt.getTime() + (definition.trigger.timeoutSeconds ?? maxSeconds) * 1_000);
  const [startedAt, until] = [startAt.toISOString(), timeoutAt.toISOString()];
  const run = { sid, workflowSid, version, eventType, startedAt, timeoutAt: until };
  const world = createWorld(t, { about, simulation, event, startAt, run });
  const facts = world.factsAt(startAt, false);
  await world.load(facts, factsNeeded(definition.conditions), messageSidOf(event));
  const { holds, failed, saw } = judgeConditions(definition.conditions, facts);
  const trial = {
    t,
    world,
    about,
    runSid: sid,
    scopes: new Set(neededScopes(definition)),
    answers: simulation.answers ?? {},
  };
  const program = prepare(definition, knownCatalogue());
  const played = holds ? await play(trial, { program, event, startAt, timeoutAt }) : null;
  return {
    object: 'workflow_test',
    sid,
    accountSid: t.accountSid,
    livemode: t.livemode,
    workflowSid,
    version,
    test: true,
    eventType,
    contactSid: about.contact?.sid ?? null,
    started: holds,
    failedCondition: failed,
    saw,
    status: played?.status ?? null,
    outcome: played?.outcome ?? null,
    error: played?.error ?? null,
    startedAt,
    endedAt: (played?.endedAt ?? startAt).toISOString(),
    trace: (played?.trace ?? []) as unknown as Record<string, unknown>[],
    issues: issuesOf(definition),
    createdBy: principalOf(principalName(t.principal)),
    createdAt: t.now.toISOString(),
    expiresAt: new Date(t.now.getTime() + keptMs).toISOString(),
  };
}

const judgeSimulation = judgeBy(Simulation);

function readRequest({ eventType, payload = {} }: TestRequest, { trigger }: Definition) {
  const { simulate = {}, ...given } = payload;
  const details = judgeSimulation(simulate).map(({ path, issue }) => ({
    path: path === 'body' ? 'payload.simulate' : `payload.simulate.${path}`,
    issue,
  }));
  if (!trigger.eventTypes.includes(eventType))
    details.push({ path: 'eventType', issue: `starts nothing here: ${trigger.eventTypes.join(', ')} would` });
  const simulation = simulate as Simulation;
  if (details.length === 0)
    for (const [i, event] of (simulation.events ?? []).entries()) {
      const issue = knownCatalogue().issueOf(event.eventType);
      if (issue) details.push({ path: `payload.simulate.events[${i}].eventType`, issue });
    }
  if (details.length > 0) throw invalid(...details);
  return { simulation, given };
}

/** Whom and what it is about. What the caller may not read themselves, they do not read through a test. */
async function loadAbout(t: TenantTx, request: TestRequest): Promise<About> {
  const { contactSid, conversationSid, messageSid } = request;
  const demanded: [string, string | undefined, string][] = [
    ['contactSid', contactSid, reading],
    ['conversationSid', conversationSid, 'inboxes:read'],
    ['messageSid', messageSid, 'messages:read'],
  ];
  const named = demanded.filter(([, sid]) => sid !== undefined);
  const lacking = named.flatMap(([path, , scope]) =>
    [...new Set([scope, reading])]
      .filter((one) => !holdsOnAccount(t, one))
      .map((one) => ({ path, issue: `needs ${one}` })),
  );
  if (lacking.length > 0) throw new ApiError('AUTHORIZATION_ERROR', { details: lacking });
  const message =
    messageSid === undefined ? null : ((await readMessages(t, [messageSid])).get(messageSid) ?? null);
  if (messageSid !== undefined && !message) throw unknown('messageSid');
  const wanted = conversationSid ?? message?.conversationSid ?? null;
  const [talk = null] =
    wanted === null ? [] : await currentConversations(t, [{ conversationSid: wanted, contactSid: null }]);
  if (conversationSid !== undefined && !talk) throw unknown('conversationSid');
  const asked = contactSid ?? message?.to.contactSid ?? talk?.contactSid ?? null;
  const contact = asked === null ? null : await contactOf(t, asked);
  if (contact && message && message.to.contactSid !== contact.sid) throw another('messageSid');
  if (contact && talk && talk.contactSid !== contact.sid) throw another('conversationSid');
  const [latest] =
    contact && !talk
      ? await currentConversations(t, [{ conversationSid: null, contactSid: contact.sid }])
      : [null];
  return { contact, conversation: talk ?? latest ?? null, message };
}

async function contactOf(t: TenantTx, sid: string) {
  const survivor = (await survivorsOf(t, [sid])).get(sid);
  if (survivor === undefined) throw unknown('contactSid');
  const [contact] = await readContacts(t, { consentsOf }, [survivor]);
  return contact ?? null;
}

const unknown = (path: string) =>
  new ApiError('NOT_FOUND', { details: [{ path, issue: 'is not of this account and environment' }] });
const another = (path: string) => invalid({ path, issue: 'is about another contact' });

async function storeTest(t: TenantTx, test: WorkflowTest): Promise<void> {
  await t.run(sql`
    insert into workflow_tests (account_sid, livemode, sid, workflow_sid, version, result, created_by, created_at)
    values (${t.accountSid}, ${t.livemode}, ${test.sid}, ${test.workflowSid}, ${test.version},
      ${JSON.stringify(test)}::json, ${principalName(t.principal)}, ${t.now})`);
}

export async function getTest(t: TenantTx, workflowSid: string, sid: string): Promise<WorkflowTest> {
  await loadWorkflow(t, workflowSid);
  const row = await t.maybe<{ result: WorkflowTest }>(sql`
    select result from workflow_tests
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and workflow_sid = ${workflowSid} and sid = ${sid}
       and created_at > ${new Date(t.now.getTime() - keptMs)}`);
  if (!row) throw new ApiError('NOT_FOUND');
  if (row.result.contactSid !== null && !holdsOnAccount(t, reading))
    throw new ApiError('AUTHORIZATION_ERROR', { details: [{ path: 'testSid', issue: `needs ${reading}` }] });
  return row.result;
}

/** Forgets what test runs saw of a contact. */
export const eraseTests = (t: TenantTx, contactSids: readonly string[]): Promise<number> =>
  t.run(sql`
    delete from workflow_tests
     where account_sid = ${t.accountSid} and livemode = ${t.livemode} and result::text ~ ${`"contactSid":"(${contactSids.join('|')})"`}`);

/** Removes those whose time is over, a slice at a time. */
export const overdueTests = (now: Date) => sql`
  delete from workflow_tests where (account_sid, sid) in (
    select account_sid, sid from workflow_tests where created_at <= ${new Date(now.getTime() - keptMs)} limit 1000)`;
