import { operation } from '../../platform/operation.ts';
import { describeMe } from './accounts.ts';
import { Me } from './schema.ts';

export const operations = [
  operation({
    id: 'getMe',
    method: 'GET',
    path: '/v1/me',
    summary: 'Who these credentials are',
    description: 'Tells the account, environment, region and scopes of the credential that asks.',
    tag: 'Identity',
    access: 'authenticated',
    responses: { 200: Me },
    handler: (t) => describeMe(t),
  }),
];
