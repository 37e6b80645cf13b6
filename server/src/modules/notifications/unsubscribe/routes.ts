import { Type } from 'typebox';
import { Closed } from '../../../platform/http/input/schema.ts';
import { operation } from '../../../platform/http/operations/operation.ts';
import { Unsubscribe } from './schema.ts';
import { endSubscription, showSubscription } from './unsubscribe.ts';

const path = '/v1/notification-unsubscribe/{token}';
const params = Closed({ token: Type.String({ pattern: '^[A-Za-z0-9_-]{32,64}$' }) });

export const unsubscribeOperations = [
  operation({
    id: 'getNotificationUnsubscribe',
    method: 'GET',
    path,
    summary: 'See what the unsubscribe link of a mail turns off',
    description:
      'The link at the end of every mail about notifications. Changes nothing, since programs open every link in a mail. ' +
      'Browsers get a page with a button, in the language of the person. Links never expire.',
    tag: 'Notifications',
    access: 'public',
    page: true,
    params,
    responses: { 200: Unsubscribe },
    open: (call, { params: { token }, header }) => showSubscription(call, token, header),
  }),
  operation({
    id: 'confirmNotificationUnsubscribe',
    method: 'POST',
    path,
    summary: 'Turn off the mail that a link is about',
    description:
      'One-click unsubscribing by RFC 8058: a form is taken as it comes, cookies are not looked at and nobody is sent on. ' +
      'Ends the mail of these categories to this person; the notifications themselves stay. The same again is 200 again. ' +
      'An `Idempotency-Key` may be sent and is not needed.',
    tag: 'Notifications',
    access: 'public',
    repeatable: 'Mail that has ended stays ended.',
    ignoresForms: true,
    page: true,
    params,
    responses: { 200: Unsubscribe },
    open: (call, { params: { token }, header }) => endSubscription(call, token, header),
  }),
];
