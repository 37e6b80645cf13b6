import { accountPath, Closed, Sid } from '../../platform/http/input/schema.ts';
import { operation } from '../../platform/http/operations/operation.ts';
import { Operation } from '../operations/index.ts';
import { download } from './download.ts';
import { startExport } from './export-contacts.ts';
import { startImport } from './import-contacts.ts';
import { ContactFile, CsvFile, NewExport, NewImport } from './schema.ts';

const tag = 'Contact files';
const contacts = '/v1/accounts/{accountSid}/contacts';
const filePath = Closed({ ...accountPath, operationSid: Sid('OP') });

const exportedFiles = {
  'text/csv':
    'contactSid,phone,displayName,locale\nCT01K3SAMP1E0000000000000000,+33612345678,Inès Martin,fr\n',
  'application/x-ndjson':
    '{"displayName":"Inès Martin","identifiers":[{"identifierType":"phone_e164","value":"+33612345678"}]}\n',
};

export const operations = [
  operation({
    id: 'importContacts',
    method: 'POST',
    path: `${contacts}/import`,
    summary: 'Import contacts and their consents from a file',
    description:
      'Answers with an operation that reads the file, finds or creates the contact of every row as POST contacts would, ' +
      'and records its consent with the source IMPORT. With `dryRun` nothing is stored and the result says what would ' +
      'happen. Rows that are refused are children of the operation and a CSV file to correct and send again.',
    tag,
    access: ['contacts:write'],
    idempotency: 'required',
    params: Closed(accountPath),
    body: NewImport,
    responses: { 202: Operation },
    example: {
      format: 'csv',
      content:
        'phone,displayName,attributes.plan,consent.purpose,consent.status,consent.evidence.capturedAt\n' +
        '06 12 34 56 78,Inès Martin,gold,MARKETING,OPTED_IN,2026-01-15T09:30:00Z\n',
      defaultCountry: 'FR',
      dryRun: true,
    },
    handler: (t, { body }) => startImport(t, body),
  }),
  operation({
    id: 'exportContacts',
    method: 'POST',
    path: `${contacts}/export`,
    summary: 'Export contacts into a file',
    description:
      'Takes the filters of the list, or a segment. The result of the operation says where the file can be fetched; it is ' +
      'kept for 7 days.',
    tag,
    access: ['contacts:read'],
    idempotency: 'required',
    params: Closed(accountPath),
    body: NewExport,
    responses: { 202: Operation },
    example: { format: 'csv' },
    handler: (t, { body }) => startExport(t, body),
  }),
  operation({
    id: 'downloadContactExport',
    method: 'GET',
    path: `${contacts}/exports/{operationSid}/file`,
    summary: 'Fetch the file of an export',
    description:
      'Available once the operation of the export has succeeded, for 7 days. The format is the one the ' +
      'export was asked for.',
    tag,
    access: ['contacts:read'],
    params: filePath,
    responses: { 200: ContactFile },
    answerExample: exportedFiles,
    sends: ['Content-Disposition'],
    stream: (call, { params }) => download(call, params.operationSid, 'export'),
  }),
  operation({
    id: 'downloadContactImportErrors',
    method: 'GET',
    path: `${contacts}/imports/{operationSid}/errors`,
    summary: 'Fetch the rows an import refused, each with its reason',
    description:
      'A CSV file with the refused rows as they came and two columns more: the number of the row and the ' +
      'reason. Corrected, it can be imported again.',
    tag,
    access: ['contacts:read'],
    params: filePath,
    responses: { 200: CsvFile },
    answerExample: 'row,error,phone,displayName\n4,phone must be a phone number,12,Ada\n',
    sends: ['Content-Disposition'],
    stream: (call, { params }) => download(call, params.operationSid, 'errors'),
  }),
];
