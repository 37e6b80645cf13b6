// Sample files of template headers: the provider takes them by an upload of their own and names them by a handle.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError, invalid } from '../../../platform/errors/errors.ts';
import type { Outside } from '../../../platform/http/operations/operation.ts';
import { anyConnection } from '../../wabas/index.ts';
import type { MediaUpload } from '../schema.ts';
import { fileOf, requireReadyMedia } from './ready-media.ts';

const headerTypes = ['image/jpeg', 'image/png', 'video/mp4', 'application/pdf'];

export async function uploadTemplateHeader(call: Outside, mediaSid: string): Promise<MediaUpload> {
  const { media, connection, appId } = await call.read((t) => prepare(t, mediaSid));
  const file = fileOf(call.ports, media);
  const answered = await call.ports.provider.uploadTemplateHeader(connection, appId, file);
  if (!answered.ok) {
    const { code, providerCode, retryAfterMs } = answered.failure;
    throw new ApiError(code, {
      ...(providerCode !== null && { providerCode }),
      ...(retryAfterMs !== null && { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) }),
    });
  }
  return {
    object: 'media_upload',
    mediaSid,
    accountSid: call.accountSid,
    livemode: call.livemode,
    handle: answered.value.handle,
    createdAt: call.now.toISOString(),
  };
}

async function prepare(t: TenantTx, mediaSid: string) {
  const media = await requireReadyMedia(t, mediaSid);
  if (!headerTypes.includes(media.mimeType)) {
    throw invalid({ path: 'mediaSid', issue: 'must be a JPEG, a PNG, an MP4 video or a PDF' });
  }
  const connection = await anyConnection(t);
  const { live, sandbox } = t.site.provider;
  const { appId } = t.livemode ? live : sandbox;
  if (!connection || appId === null) throw new ApiError('WABA_NOT_CONNECTED');
  return { media, connection, appId };
}
