// What stands between a well-formed message and its acceptance, in the order the provider looks, and what will make an
// accepted one fail.

import { GraphError } from '../errors.ts';
import type { Wire } from '../http/shape.ts';
import { checkMediaOf, mediaFailure } from '../media/media-use.ts';
import { dayMs } from '../numbers/people.ts';
import type { Simulation } from '../simulation.ts';
import { checkProducts } from '../templates/catalogs.ts';
import { checkTemplateParameters } from '../templates/template-parameters.ts';
import type { Flow, PhoneNumber, Template, Waba } from '../world.ts';
import type { Category } from './pricing.ts';
import type { Failure, Sending } from './sending.ts';

type Passed = { category: Category; template: Template | null };

/** Throws what is answered at once. */
export function gateMessage(sending: Sending): Passed {
  const { simulation, number, person, waba, body } = sending;
  const { rates, settings, timeline } = simulation;
  const nowMs = timeline.nowMs();
  checkSender(waba, number);
  if (person.waId === number.number) throw new GraphError(131021, 'The recipient is the sender.');
  const passed = sending.type === 'template' ? gateTemplate(sending, nowMs) : freeForm;
  checkMediaOf(sending);
  checkProducts(sending);
  if (body.interactive?.type === 'flow') checkFlow(sending, body.interactive.action.parameters, nowMs);
  if (body.recipient_identity_key_hash !== undefined && number.identityCheck)
    throw new GraphError(137000, 'The identity of the recipient has changed.');
  if (settings.throughputLimit && !rates.takeThroughput(number, nowMs))
    throw new GraphError(130429, 'The number sends more messages a second than it may.');
  if (settings.pairLimit && !rates.takePair(number.id, person.waId, nowMs))
    throw new GraphError(131056, 'Too many messages to this recipient in a short time.');
  checkReach(sending, nowMs);
  return passed;
}

/** The provider's table has no code for an exhausted messaging limit; this is the one that clients have seen. */
function checkReach({ simulation, waba, number, person }: Sending, nowMs: number): void {
  const { people, rates, world } = simulation;
  if (people.isWindowOpen(number.id, person.waId, nowMs)) return;
  const tier = world.portfolios.get(waba.businessId)?.messagingLimit ?? 'TIER_UNLIMITED';
  if (!rates.takeReach(waba.businessId, tier, person.waId, nowMs))
    throw new GraphError(131048, 'The portfolio has reached its messaging limit of 24 hours.');
}

const freeForm: Passed = { category: 'service', template: null };

const senderProblems: Record<string, [code: number, details: string]> = {
  PENDING: [133010, 'The number is not registered.'],
  DISCONNECTED: [133010, 'The number is not registered.'],
  UNVERIFIED: [133010, 'The number is not registered.'],
  MIGRATED: [133010, 'The number has moved to another account.'],
  DELETED: [33, 'The business phone number has been deleted.'],
  BANNED: [131031, 'The account has been locked.'],
  RESTRICTED: [131048, 'The number is restricted because of reports of spam.'],
  RATE_LIMITED: [130429, 'The number has reached its limit.'],
};

function checkSender(waba: Waba, number: PhoneNumber): void {
  if (waba.banned) throw new GraphError(368, 'The account is restricted for violating policies.');
  const problem = senderProblems[number.status];
  if (problem) throw new GraphError(...problem);
  if (!['APPROVED', 'AVAILABLE_WITHOUT_REVIEW'].includes(number.nameStatus))
    throw new GraphError(131037, 'The display name of the number is not approved.');
}

const statusProblems: Record<string, [code: number, details: string]> = {
  PAUSED: [132015, 'The template is paused because of low quality.'],
  DISABLED: [132016, 'The template was paused too many times and is now disabled.'],
};

function gateTemplate({ simulation, waba, body, endpoint }: Sending, nowMs: number): Passed {
  const { name, language, components = [] } = body.template;
  const template = simulation.world.findTemplate(waba.id, name, language.code);
  const problem = template && statusProblems[template.status];
  if (problem) throw new GraphError(...problem);
  if (template?.status !== 'APPROVED')
    throw new GraphError(132001, `template name (${name}) does not exist in ${language.code}`);
  checkTemplateParameters(template, components, nowMs);
  if (body.to === undefined && hasCodeButton(template))
    throw new GraphError(131062, 'A code can only be sent to a phone number.');
  const category = template.category.toLowerCase() as Category;
  const lite =
    category === 'marketing' && usesMarketingApi(simulation, waba, template, body, endpoint, nowMs);
  if (endpoint === 'marketing_messages' && category !== 'marketing')
    throw new GraphError(134100, 'The template is not of the category marketing.');
  return { category: lite ? 'marketing_lite' : category, template };
}

const hasCodeButton = ({ category }: Template) => category === 'AUTHENTICATION';

/** True when the Marketing Messages API carries it, false when Cloud API does. */
function usesMarketingApi(
  { settings }: Simulation,
  waba: Waba,
  template: Template,
  body: Wire,
  endpoint: string,
  nowMs: number,
): boolean {
  const refuseOnCloud = () => {
    if (waba.cloudMarketingDisabled)
      throw new GraphError(131063, 'Marketing templates are switched off on Cloud API for this account.');
  };
  if (endpoint === 'messages') {
    refuseOnCloud();
    return false;
  }
  const onboarded = waba.marketingOnboarding === 'ONBOARDED';
  const synced = nowMs >= (template.approvedMs ?? 0) + settings.marketingSyncMs;
  if (onboarded && synced) return true;
  if (body.product_policy === 'STRICT') {
    if (!onboarded) throw new GraphError(134102, 'The account is not onboarded to Marketing Messages.');
    throw new GraphError(134101, 'The template is still being synced; this takes up to 10 minutes.');
  }
  refuseOnCloud();
  return false;
}

function checkFlow({ simulation, waba }: Sending, parameters: Wire, nowMs: number): void {
  const flow = [...simulation.world.flows.values()].find(
    ({ wabaId, id, name }) =>
      wabaId === waba.id && (parameters.flow_id ? id === parameters.flow_id : name === parameters.flow_name),
  );
  if (!flow) throw new GraphError(131009, 'The flow does not exist.');
  if (flow.status === 'BLOCKED') throw new GraphError(132068, 'The flow is blocked.');
  if (flow.status === 'THROTTLED' && !takeThrottled(flow, nowMs))
    throw new GraphError(132069, 'The flow is throttled: 10 messages an hour are used up.');
  const draft = parameters.mode === 'draft';
  const usable = draft ? flow.status === 'DRAFT' : ['PUBLISHED', 'THROTTLED'].includes(flow.status);
  if (!usable)
    throw new GraphError(
      131009,
      `A flow in the state ${flow.status} cannot be sent as ${parameters.mode ?? 'published'}.`,
    );
}

function takeThrottled(flow: Flow, nowMs: number): boolean {
  flow.sentMs = flow.sentMs.filter((atMs) => atMs > nowMs - 3_600_000);
  if (flow.sentMs.length >= 10) return false;
  flow.sentMs.push(nowMs);
  return true;
}

// Area codes of +1 that are not of the United States: Canada and the Caribbean.
const notOfTheStates = new Set(
  (
    '204 226 236 242 246 249 250 263 264 268 284 289 306 343 345 354 365 367 368 382 403 416 418 428 431 437 438 441 450 ' +
    '468 473 474 506 514 519 548 579 581 584 587 604 613 639 647 649 658 664 672 683 705 709 721 742 753 758 767 778 780 ' +
    '782 784 807 809 819 825 829 849 867 868 869 873 876 879 902 905'
  ).split(' '),
);
const isOfTheStates = (digits: string) => /^1\d{10}$/.test(digits) && !notOfTheStates.has(digits.slice(1, 4));

/** What makes an accepted message fail, told by a callback; null when it goes its way. */
export function failureOf(sending: Sending, category: Category): Failure | null {
  const { simulation, waba, number, person, body, type } = sending;
  const { people, rates, settings, timeline, records } = simulation;
  const nowMs = timeline.nowMs();
  const fail = (code: number, details: string): Failure => ({ code, details });

  if (number.blocked.includes(person.waId) || number.blocked.includes(person.userId))
    return fail(130403, 'The business has blocked this user.');
  if (!waba.paymentOk) return fail(131042, 'The payment method of the account does not work.');
  if (category === 'service' && !people.isWindowOpen(number.id, person.waId, nowMs))
    return fail(131047, 'More than 24 hours have passed since the recipient last wrote.');
  const isMarketing = category === 'marketing' || category === 'marketing_lite';
  if (isMarketing) {
    if (people.refusesMarketing(waba.businessId, person.waId))
      return fail(131050, 'The recipient asked to receive no more marketing messages.');
    if (isOfTheStates(person.waId))
      return fail(131049, 'Marketing to numbers of the United States is paused.');
  }
  if (type === 'reaction') {
    const target = records.find(body.reaction.message_id);
    if (target && (target.type === 'reaction' || target.atMs < nowMs - 30 * dayMs))
      return fail(131009, 'The message to react to is too old, or is itself a reaction.');
  }
  const failure = mediaFailure(sending);
  if (failure || !isMarketing || settings.marketingCap === 0) return failure;
  // Whoever wrote in the last 24 hours may be sent more.
  const capped =
    !people.isWindowOpen(number.id, person.waId, nowMs) &&
    !rates.takeMarketing(person.waId, settings.marketingCap, nowMs);
  return capped ? fail(131049, 'The recipient has received enough marketing messages for now.') : null;
}
