// Everything of the account that a definition names: looked up when it is published, where what is not the account's own is as
// unknown as what does not exist.
import { mediaIn, type UnaddressedMessage } from '../../messages/index.ts';
import type { Content } from '../../provider/index.ts';
import type { Action, Definition } from '../definition/actions.ts';
import { actionsOf, predicatesOf } from '../definition/walk.ts';

export type ReferenceKind =
  | 'content'
  | 'media'
  | 'flow'
  | 'sender'
  | 'senderPool'
  | 'endpoint'
  | 'segment'
  | 'inbox'
  | 'user'
  | 'workflow';
export type Reference =
  | { path: string; kind: ReferenceKind; sid: string }
  | { path: string; kind: 'template'; name: string; language: string };

export function referencesOf(definition: Definition): Reference[] {
  const references: Reference[] = [];
  for (const { predicate, path } of predicatesOf(definition)) {
    if ('segmentSid' in predicate)
      references.push({ path: `${path}.segmentSid`, kind: 'segment', sid: predicate.segmentSid });
  }
  for (const { action, path } of actionsOf(definition)) {
    const found = action.type === 'send_message' ? ofMessage(action.message) : ofAction(action);
    references.push(...found.map((reference) => ({ ...reference, path: `${path}.${reference.path}` })));
  }
  return references;
}

const one = (kind: ReferenceKind, path: string, sid: string | null | undefined): Reference[] =>
  sid ? [{ path, kind, sid }] : [];

function ofAction(action: Action): Reference[] {
  switch (action.type) {
    case 'assign_conversation':
      return one('user', 'assigneeSid', action.assigneeSid);
    case 'move_conversation':
      return one('inbox', 'inboxSid', action.inboxSid);
    case 'http_request':
      return one('endpoint', 'endpointSid', action.endpointSid);
    case 'start_workflow':
      return one('workflow', 'workflowSid', action.workflowSid);
    case 'notify':
      return [
        ...(action.userSids ?? []).flatMap((sid, i) => one('user', `userSids[${i}]`, sid)),
        ...one('inbox', 'inboxSid', action.inboxSid),
      ];
    default:
      return [];
  }
}

function ofMessage(message: UnaddressedMessage): Reference[] {
  const { from, senderPoolSid, contentSid, statusCallbackSid, template, flow, type } = message;
  const media = type === undefined ? [] : mediaIn(message as Content);
  return [
    ...one('sender', 'message.from', from),
    ...one('senderPool', 'message.senderPoolSid', senderPoolSid),
    ...one('content', 'message.contentSid', contentSid),
    ...one('endpoint', 'message.statusCallbackSid', statusCallbackSid),
    ...one('flow', 'message.flow.flowSid', flow?.flowSid),
    ...media.flatMap(({ sid, path }) => one('media', `message.${path}`, sid)),
    ...(template
      ? [
          {
            path: 'message.template',
            kind: 'template' as const,
            name: template.name,
            language: template.language,
          },
        ]
      : []),
  ];
}
