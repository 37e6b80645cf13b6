// Files named in what a business writes: they must be there and examined, and are kept until the application ends.
import type { TenantTx } from '../../../platform/db/database.ts';
import type { ErrorDetail } from '../../../platform/errors/errors.ts';
import { keepMedia, letMediaGo, loadMedia } from '../../media/index.ts';

const mostDocuments = 20;
const named = /\bME[0-9A-HJKMNP-TV-Z]{26}\b/g;

export const documentsIn = (text: string): string[] => [...new Set(text.match(named) ?? [])];

export async function issuesOfDocuments(t: TenantTx, text: string | undefined): Promise<ErrorDetail[]> {
  const sids = documentsIn(text ?? '');
  const path = 'information';
  if (sids.length > mostDocuments) return [{ path, issue: `can name ${mostDocuments} files at most` }];
  const known = await loadMedia(t, sids);
  return sids.flatMap((sid) => {
    const { status } = known.get(sid) ?? {};
    if (status === undefined) return [{ path, issue: `${sid} is no media of this account and environment` }];
    return status === 'READY'
      ? []
      : [{ path, issue: `${sid} is ${status}: only media that is READY can be sent` }];
  });
}

export const keepDocuments = (t: TenantTx, applicationSid: string, sids: string[]): Promise<void> =>
  keepMedia(t, sids, applicationSid);

export const letDocumentsGo = (t: TenantTx, applicationSid: string): Promise<void> =>
  letMediaGo(t, applicationSid);
