// The shapes of an event's data, version by version. Data is stored as it was when the event happened; an endpoint
// pinned to an older version gets it through the chain of changes made since, undone newest first.
import { type ApiVersion, apiVersions } from '../../../platform/events.ts';

type Data = Record<string, unknown>;

type Change = {
  /** The version that made the change. */
  version: ApiVersion;
  description: string;
  /** Puts data of that version into the shape of the one before. Never changes what it is given. */
  undo(type: string, data: Data): Data;
};

const changes: Change[] = [
  {
    version: '2026-08-21',
    description:
      'Messages name their recipient by identifierType, value and contactSid in `to`, which was the bare value.',
    undo(type, data) {
      if (!type.startsWith('message.') || typeof data.to !== 'object' || data.to === null) return data;
      const { value, contactSid } = data.to as { value?: unknown; contactSid?: unknown };
      return { ...data, to: value ?? null, contactSid: contactSid ?? null };
    },
  },
];

export const isApiVersion = (version: string): boolean => apiVersions.some((known) => known === version);

/** The version a body is shaped for: what was asked, or, for events older than that, the one they were made in. */
export const shapedFor = (pinned: string, made: string): string => (pinned < made ? pinned : made);

/** True when data made in one version must be changed to be read in another. */
export const needsShaping = (pinned: string, made: string): boolean =>
  changes.some(({ version }) => version > pinned && version <= made);

export function shapeData(type: string, data: Data, from: string, to: string): Data {
  return changes
    .filter(({ version }) => version > to && version <= from)
    .toReversed()
    .reduce((shaped, change) => change.undo(type, shaped), data);
}
