// Where media is kept: a folder by default, an S3-compatible store where one is named.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MediaStore } from '../../modules/media/index.ts';
import { ConfigError } from '../../platform/config.ts';
import type { Spool } from '../../platform/spool.ts';
import { folderStore } from './folder.ts';
import { s3Store } from './s3.ts';

type Settings = {
  mediaStore: string | null;
  dataDir: string;
  s3AccessKeyId: string | null;
  s3SecretAccessKey: string | null;
};

export function createMediaStore(settings: Settings, spool: Spool): MediaStore {
  const { mediaStore, dataDir, s3AccessKeyId, s3SecretAccessKey } = settings;
  if (mediaStore === null) return folderStore(join(dataDir, 'media'));
  const url = new URL(mediaStore);
  if (url.protocol === 'file:') return folderStore(fileURLToPath(url));
  if (s3AccessKeyId === null || s3SecretAccessKey === null) {
    throw new ConfigError('MEDIA_STORE names an S3 store: set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.');
  }
  const region = url.searchParams.get('region') ?? 'us-east-1';
  const endpoint = url.searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`;
  if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint) || url.hostname === '') {
    throw new ConfigError('MEDIA_STORE must be such as s3://bucket/prefix?endpoint=https://…&region=….');
  }
  const prefix = url.pathname.replaceAll(/^\/+|\/+$/g, '');
  return s3Store({
    // Every S3-compatible store understands the bucket as the first part of the path.
    bucketUrl: `${endpoint.replace(/\/+$/, '')}/${url.hostname}`,
    prefix: prefix === '' ? '' : `${prefix}/`,
    region,
    accessKeyId: s3AccessKeyId,
    secretAccessKey: s3SecretAccessKey,
    spool,
  });
}
