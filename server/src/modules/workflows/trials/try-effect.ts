// What effects come to in a test run: messages are judged and not sent, everything else is told and not done.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { workflowPrincipal } from '../../../platform/principal.ts';
import { judgeMessage, preflightMessages } from '../../messages/index.ts';
import { isObject } from '../definition/predicates.ts';
import type { Effect } from '../interpreter/effects.ts';
import type { Input } from '../interpreter/state.ts';
import { atMoment } from './moment.ts';
import type { About } from './samples-of-events.ts';
import type { World } from './world.ts';

export type Trial = {
  t: TenantTx;
  world: World;
  about: About;
  /** Acts as a run of the workflow would. */
  runSid: string;
  scopes: ReadonlySet<string>;
  answers: Record<string, unknown>;
};

type Asked = { effect: Effect; position: number; path: string; id: string | null; now: Date };

export async function tryEffect(trial: Trial, asked: Asked): Promise<Input> {
  const { effect, position } = asked;
  const result =
    effect.type === 'send_message'
      ? await judgeSend(trial, effect, asked.now)
      : effect.type === 'http_request'
        ? answerOf(trial, effect, asked)
        : { output: { wouldDo: effect } };
  if (!('error' in result)) trial.world.change(effect);
  return { kind: 'result', position, ...result };
}

type Result = { output: Record<string, unknown> } | { error: { code: string; message: string } };
type Sending = Extract<Effect, { type: 'send_message' }>;
type Requesting = Extract<Effect, { type: 'http_request' }>;

/** The contact wrote in this test, of which the gates know nothing. */
const closedWindow = 'SERVICE_WINDOW_CLOSED';

async function judgeSend(trial: Trial, { message }: Sending, now: Date): Promise<Result> {
  const { t, about, runSid, scopes, world } = trial;
  // Nobody to be judged for: what can be said of the message alone was said when it was filled in.
  if (about.contact === null) return { output: { wouldSend: message, preflight: null } };
  const author = workflowPrincipal(runSid, t, scopes);
  const { conversation, contact } = about;
  const isNamed = message.from !== undefined || message.senderPoolSid !== undefined;
  const to = isNamed || !conversation ? { contactSid: contact.sid } : { conversationSid: conversation.sid };
  const body = judgeMessage({ ...message, ...to });
  if (body instanceof ApiError) return faultOf(body);
  const [preflight] = await preflightMessages(atMoment(t, now, author), [{ body, author }]);
  if (preflight instanceof ApiError) return faultOf(preflight);
  const { checks, error, resolved, cost, wouldSendAt } = preflight!;
  const failed = checks.filter(({ outcome }) => outcome === 'fail').map(({ code }) => code);
  const isLate = failed.some((code) => code !== closedWindow || !world.isWindowOpen(now));
  if (isLate) return { error: { code: error!.code, message: error!.message } };
  return { output: { wouldSend: message, preflight: { resolved, cost, wouldSendAt } } };
}

function faultOf({ code, message, facts }: ApiError): Result {
  const [detail] = facts.details ?? [];
  return { error: { code, message: detail ? `${detail.path}: ${detail.issue}` : message } };
}

/** What the test says the endpoint answers; an empty 200 where it says nothing. */
function answerOf({ answers }: Trial, effect: Requesting, { id, path }: Asked): Result {
  const given = answers[id ?? ''] ?? answers[path];
  const { status = 200, body = null, failure } = isObject(given) ? given : {};
  if (typeof failure === 'string') return { error: { code: 'HTTP_FAILED', message: failure } };
  return { output: { wouldAsk: effect.endpointSid, status, body } };
}
