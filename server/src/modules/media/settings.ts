// Where media is kept, for how long, and who looks at it.
import { optional, url, type Variable, whole } from '../../platform/config.ts';

export const mediaVariables = {
  mediaStore: {
    name: 'MEDIA_STORE',
    fallback: '',
    means:
      'Where media is kept: file:///a/folder, or s3://bucket/prefix?endpoint=https://…&region=…; default DATA_DIR/media',
    read: url(['file', 's3']),
  },
  s3AccessKeyId: {
    name: 'S3_ACCESS_KEY_ID',
    fallback: '',
    means: 'Access key of the S3-compatible store named by MEDIA_STORE',
    read: optional,
  },
  s3SecretAccessKey: {
    name: 'S3_SECRET_ACCESS_KEY',
    fallback: '',
    means: 'Its secret',
    read: optional,
  },
  mediaRetentionDays: {
    name: 'MEDIA_RETENTION_DAYS',
    fallback: '30',
    means: 'How long media is kept; then it is EXPIRED and its content is removed',
    read: whole(1, 3_650),
  },
  mediaFetchSeconds: {
    name: 'MEDIA_FETCH_SECONDS',
    fallback: '60',
    means: 'How long fetching media from a URL may take, redirects included',
    read: whole(1, 600),
  },
  clamdUrl: {
    name: 'CLAMD_URL',
    fallback: '',
    means:
      'ClamAV daemon that scans media, tcp://host:3310 or unix:///path; while it does not answer, nothing becomes READY',
    read: url(['tcp', 'unix']),
  },
} satisfies Record<string, Variable<unknown>>;
