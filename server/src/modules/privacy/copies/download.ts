// A copy, sent as an archive that is made while it is sent. Nothing of it is ever written down in the clear.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { StreamedAnswer, type Streaming } from '../../../platform/http/operations/operation.ts';
import { writeZip } from '../../../platform/zip/write-zip.ts';
import { audit } from '../../audit/index.ts';
import { attachment } from '../../contact-files/index.ts';
import { getRequest } from '../requests.ts';
import { entriesOf, type Missing } from './entries.ts';
import { sizesOf } from './parts.ts';

export async function downloadCopy(call: Streaming, requestSid: string): Promise<StreamedAnswer> {
  const found = await call.write((t) => openCopy(t, requestSid));
  const missing: Missing[] = [];
  const pieces = writeZip(entriesOf(call, { requestSid, ...found }, missing), {
    at: call.now,
    last: (files) => ({
      name: 'manifest.json',
      text: `${JSON.stringify({ requestSid, kind: found.kind, files, missing }, null, 2)}\n`,
    }),
  });
  return new StreamedAnswer('application/zip', pieces, attachment(`${requestSid}.zip`));
}

/** Whoever takes a copy away is written down, before the first byte leaves. */
async function openCopy(t: TenantTx, requestSid: string) {
  const { kind, export: kept, subject } = await getRequest(t, requestSid);
  if (kept === null) throw new ApiError('NOT_FOUND');
  const sizes = await sizesOf(t, requestSid);
  if (sizes.length === 0) throw new ApiError('NOT_FOUND');
  audit(t, {
    action: 'privacy_request.export_downloaded',
    resource: requestSid,
    facts: { kind, contactSid: subject.contactSid },
  });
  return { kind, sizes, withCsv: kind === 'PORTABILITY' };
}
