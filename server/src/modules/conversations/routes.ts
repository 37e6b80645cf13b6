import { operation } from '../../platform/operation.ts';
import { accountPath, Closed, Sid } from '../../platform/schema.ts';
import { ServiceWindow } from './schema.ts';
import { getServiceWindow } from './service-windows.ts';

export const operations = [
  operation({
    id: 'getServiceWindow',
    method: 'GET',
    path: '/v1/accounts/{accountSid}/senders/{senderSid}/contacts/{contactSid}/window',
    summary: 'Tell whether a sender may write freely to a contact',
    description:
      'The window is open for 24 hours after the last message of the contact to this sender. A merged contact is ' +
      'answered for its survivor, to whom messages follow.',
    tag: 'Conversations',
    access: ['senders:read'],
    params: Closed({ ...accountPath, senderSid: Sid('WA'), contactSid: Sid('CT') }),
    responses: { 200: ServiceWindow },
    handler: (t, { params }) => getServiceWindow(t, params.senderSid, params.contactSid),
  }),
];
