// Whether the provider tells us of a business account's events: by our own app, and at the app's own address.
import type { Ports, Site } from '../../../platform/ports.ts';
import { answerOf } from '../../provider/index.ts';
import type { Seen } from '../connection-states.ts';
import type { Reached } from '../read-waba.ts';

export type FoundSubscription = {
  subscription: Seen['subscription'];
  /** Where our app's events of the account go instead of to us; null when they come to us. */
  overrideUrl: string | null;
};

type Asking = { ports: Pick<Ports, 'provider'>; appId: string | null };

/** This installation's app, as events are subscribed to by it. */
export const appIdIn = (site: Site, livemode: boolean): string | null =>
  site.provider[livemode ? 'live' : 'sandbox'].appId;

/** Others may be subscribed too: without the id of our app nobody can tell. */
export async function readSubscription(
  { ports, appId }: Asking,
  { connection, wabaId }: Reached,
): Promise<FoundSubscription> {
  if (appId === null) return { subscription: 'UNKNOWN', overrideUrl: null };
  const { apps } = answerOf(await ports.provider.listSubscribedApps(connection, wabaId));
  const ours = apps.find((app) => app.appId === appId);
  return { subscription: ours ? 'SUBSCRIBED' : 'MISSING', overrideUrl: ours?.overrideUrl ?? null };
}

/** What an address elsewhere takes from us is as lost as if nothing were sent. */
export const reachesUs = ({ subscription, overrideUrl }: FoundSubscription): boolean =>
  subscription === 'SUBSCRIBED' && overrideUrl === null;
