import { declareEvents } from '../../platform/events.ts';
import { sampleTime } from '../../platform/samples.ts';
import { consentSample, suppressionSample } from './samples.ts';
import { Consent, Suppression } from './schema.ts';

export const consentEvents = declareEvents('consent', Consent, consentSample, {
  recorded: { since: '2026-05-04', description: 'Consent was given, withdrawn or otherwise recorded.' },
});

export const suppressionEvents = declareEvents('suppression', Suppression, suppressionSample, {
  created: { since: '2026-05-04', description: 'A contact is left alone from now on.' },
  updated: {
    since: '2026-08-21',
    description: 'A suppression in force was made to last longer or to be mirrored.',
  },
  removed: {
    since: '2026-05-04',
    description: 'A suppression was lifted.',
    sample: { active: false, liftedAt: sampleTime, liftedBy: 'system:sample' },
  },
});
