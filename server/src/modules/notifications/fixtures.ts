import type { Fixtures, Given, Owner } from '../../../test/harness/fixtures.ts';
import { write } from '../../../test/harness/jobs.ts';
import { newSid } from '../../platform/ids.ts';
import type { Audience } from '../../platform/notifications.ts';
import { notificationType } from './catalogue.ts';
import { notify } from './notify.ts';

type Told = { type?: string; to?: Audience; resource?: string; dedupeKey?: string };

/** Tells whoever may read notifications of something, as the module it belongs to would. */
export async function tell({ app, owner }: Given, told: Told = {}): Promise<string> {
  const { type = 'template.rejected', to = { scope: 'notifications:read' } } = told;
  const resource = told.resource ?? newSid('TM', app.clock.now());
  const notice = { to, resource, ...(told.dedupeKey !== undefined && { dedupeKey: told.dedupeKey }) };
  await write({ app, ...tenantOf(owner) }, async (t) => notify(t, notificationType(type)!, notice));
  const [row] = await app.sql<{ id: string }>(
    'select id from notifications where account_sid = $1 and resource = $2 order by id desc limit 1',
    [owner.accountSid, resource],
  );
  return row!.id;
}

const tenantOf = ({ accountSid, livemode }: Owner) => ({ accountSid, livemode });

export const fixtures: Fixtures = {
  notificationId: (given) => tell(given),
};
