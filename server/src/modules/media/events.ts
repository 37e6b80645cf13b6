import { declareEvents } from '../../platform/events.ts';
import { mediaSample } from './samples.ts';
import { Media } from './schema.ts';

export const mediaEvents = declareEvents('media', Media, mediaSample, {
  ready: { since: '2026-05-04', description: 'A file was scanned and can be sent.' },
  rejected: {
    since: '2026-05-04',
    description: 'A file was refused.',
    sample: {
      status: 'REJECTED',
      sendable: false,
      scan: {
        ...mediaSample.scan,
        result: 'REJECTED',
        reasons: [{ code: 'MALWARE', message: 'The scanner found malware in the file.' }],
      },
    },
  },
  expired: {
    since: '2026-08-21',
    description: 'A file was kept long enough and is gone.',
    sample: { status: 'EXPIRED', sendable: false },
  },
  deleted: {
    since: '2026-08-21',
    description: 'A file was deleted.',
    sample: { status: 'DELETED', sendable: false },
  },
});
