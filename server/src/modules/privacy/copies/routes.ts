import { Type } from 'typebox';
import { accountPath, Closed, Sid } from '../../../platform/http/input/schema.ts';
import { operation } from '../../../platform/http/operations/operation.ts';
import { downloadCopy } from './download.ts';

const Archive = Type.String({ contentMediaType: 'application/zip' });

export const copyOperations = [
  operation({
    id: 'downloadPrivacyExport',
    method: 'GET',
    path: '/v1/accounts/{accountSid}/privacy/requests/{requestSid}/export',
    summary: 'Fetch the copy that was made for a person',
    description:
      'A ZIP archive, for 7 days after an ACCESS or PORTABILITY request is COMPLETED: `about.json` with purposes, recipients, windows and ' +
      'sources, one JSON file a store, for PORTABILITY the same as CSV, the files that were exchanged, and `manifest.json` with the SHA-256 ' +
      'of each. Every download is written into the audit chain.',
    tag: 'Privacy requests',
    access: ['privacy:write'],
    params: Closed({ ...accountPath, requestSid: Sid('DR') }),
    responses: { 200: Archive },
    answerExample: 'PK\u0003\u0004…',
    sends: ['Content-Disposition'],
    stream: (call, { params }) => downloadCopy(call, params.requestSid),
  }),
];
