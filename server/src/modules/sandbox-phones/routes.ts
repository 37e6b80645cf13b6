import { accountPath, Closed, ListOf } from '../../platform/http/input/schema.ts';
import { operation } from '../../platform/http/operations/operation.ts';
import { sampleSid } from '../../platform/samples.ts';
import {
  issuesOfWriting,
  listPhones,
  preferOnPhone,
  pressOnPhone,
  readPhone,
  writeOnPhone,
} from './phones.ts';
import {
  PhonesQuery,
  PreferOnPhone,
  PressOnPhone,
  phonePath,
  SandboxPhone,
  SandboxPhoneScreen,
  ScreenQuery,
  WriteOnPhone,
} from './schema.ts';

const tag = 'Sandbox phones';
const all = '/v1/accounts/{accountSid}/sandbox/phones';
const one = `${all}/{phoneNumber}`;
const away =
  'Live keys are refused with AUTHORIZATION_ERROR; PROVIDER_TEMPORARY_ERROR says that the simulator does not answer.';
const doing = {
  method: 'POST',
  tag,
  access: ['messages:send'],
  idempotency: 'required',
  params: phonePath,
  responses: { 200: SandboxPhoneScreen },
} as const;
/** Demanded of every request before it is run. */
const keyOf = (header: (name: string) => string | undefined) => header('idempotency-key')!;

export const operations = [
  operation({
    id: 'listSandboxPhones',
    method: 'GET',
    path: all,
    summary: 'List the phones of simulated customers',
    description: `Those that wrote to a sender of this sandbox or were written to, the newest talk first, as far back as the simulator remembers. ${away}`,
    tag,
    sdk: 'sandboxPhones.list',
    access: ['messages:read'],
    params: Closed(accountPath),
    query: PhonesQuery,
    responses: { 200: ListOf(SandboxPhone) },
    outside: (call, { pager }) => listPhones(call, pager),
  }),
  operation({
    id: 'readSandboxPhone',
    method: 'GET',
    path: one,
    summary: "Get what a simulated customer's phone shows",
    description:
      'The newest messages between the phone and the senders of this sandbox, or one of them: words as they are read, with ' +
      `parameters filled in, buttons, and how far each has come. A phone that nobody wrote to is empty. ${away}`,
    tag,
    sdk: 'sandboxPhones.read',
    access: ['messages:read'],
    params: phonePath,
    query: ScreenQuery,
    responses: { 200: SandboxPhoneScreen },
    outside: (call, { params, query }) => readPhone(call, { ...params, ...query }),
  }),
  operation({
    ...doing,
    id: 'writeOnSandboxPhone',
    path: `${one}/messages`,
    summary: 'Let a simulated customer write',
    description:
      'The message arrives as one of the provider does: it opens the service window, STOP is an opt-out, workflows and webhooks hear ' +
      `of it. Answers with what the phone shows then. ${away}`,
    sdk: 'sandboxPhones.write',
    body: WriteOnPhone,
    example: { senderSid: sampleSid('WA'), text: 'When does my order arrive?' },
    issues: (_t, { body, refused }) => issuesOfWriting(body, refused),
    outside: (call, { params, body, header }) => writeOnPhone(call, params.phoneNumber, body, keyOf(header)),
  }),
  operation({
    ...doing,
    id: 'pressOnSandboxPhone',
    path: `${one}/presses`,
    summary: 'Let a simulated customer press a button',
    description:
      'A reply button, a row of a list or the quick reply of a template, named by the message and the `id` of the button as the ' +
      `phone shows them. Answers with what the phone shows then. ${away}`,
    sdk: 'sandboxPhones.press',
    body: PressOnPhone,
    example: { messageId: 'wamid.HBgLMzM2MTIwMDM0MDA=', button: '0' },
    outside: (call, { params, body, header }) => pressOnPhone(call, params.phoneNumber, body, keyOf(header)),
  }),
  operation({
    ...doing,
    id: 'preferOnSandboxPhone',
    path: `${one}/preference`,
    summary: 'Let a simulated customer stop or resume marketing messages',
    description:
      'As they do in their app, for the whole business the sender belongs to. The provider tells of it, and fails marketing ' +
      `messages from then on. Answers with what the phone shows then. ${away}`,
    sdk: 'sandboxPhones.prefer',
    body: PreferOnPhone,
    example: { senderSid: sampleSid('WA'), marketing: 'STOP' },
    outside: (call, { params, body }) => preferOnPhone(call, params.phoneNumber, body),
  }),
];
