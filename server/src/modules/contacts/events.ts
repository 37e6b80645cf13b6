import { declareEvents, heardBy } from '../../platform/events.ts';
import { sampleSid, sampleTime } from '../../platform/samples.ts';
import {
  Contact,
  ContactConflict,
  ContactMerge,
  ContactRestriction,
  contactConflictSample,
  contactMergeSample,
  contactRestrictionSample,
  contactSample,
} from './schema.ts';

const person = `user:${sampleSid('US')}`;

export const contactEvents = {
  ...declareEvents('contact', Contact, contactSample, {
    created: { since: '2026-05-04', description: 'A contact was created.' },
    updated: { since: '2026-05-04', description: 'A contact was changed.' },
    erased: {
      since: '2026-08-21',
      description: 'A person was erased. Whoever was told of them before is to forget them too.',
      sample: {
        status: 'ERASED',
        displayName: null,
        locale: null,
        timezone: null,
        attributes: {},
        identifiers: [],
        restrictedBy: sampleSid('DR'),
      },
    },
  }),
  ...declareEvents('contact', ContactMerge, contactMergeSample, {
    merged: { since: '2026-05-04', description: 'Two contacts became one.' },
    merge_reverted: {
      since: '2026-05-04',
      description: 'A merge was taken back.',
      sample: {
        status: 'REVERTED',
        revertedAt: sampleTime,
        revertedBy: person,
        movedBack: contactMergeSample.moved,
        stayed: { identifiers: [] },
      },
    },
  }),
  ...declareEvents('contact', ContactConflict, contactConflictSample, {
    conflict_opened: {
      since: '2026-05-04',
      description: 'Identifiers of one request belong to two contacts.',
    },
    conflict_resolved: {
      since: '2026-05-04',
      description: 'An identity conflict was settled.',
      sample: { status: 'resolved', resolution: 'dismiss', resolvedBy: person, resolvedAt: sampleTime },
    },
  }),
  ...heardBy(
    ['contacts:read'],
    declareEvents(
      'contact',
      ContactRestriction,
      contactRestrictionSample,
      {
        restricted: {
          since: '2026-08-21',
          description: 'A contact is kept and not used until its privacy request says otherwise.',
        },
        unrestricted: {
          since: '2026-08-21',
          description: 'A privacy request no longer restricts a contact. Another may.',
        },
      },
      'contactSid',
    ),
  ),
};
