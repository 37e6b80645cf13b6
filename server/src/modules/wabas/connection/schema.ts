import type { Static } from 'typebox';
import { NamedObject, Text } from '../../../platform/http/input/schema.ts';

const why = { caseRef: Text(128), reason: Text(2000) };

export const ReconcileSubscription = NamedObject('ReconcileSubscriptionRequest', why);
export type ReconcileSubscription = Static<typeof ReconcileSubscription>;

export const ReconnectWaba = NamedObject('ReconnectWabaRequest', { ...why, stepUpToken: Text(256) });
export type ReconnectWaba = Static<typeof ReconnectWaba>;
