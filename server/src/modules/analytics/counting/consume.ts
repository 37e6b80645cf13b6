// Counts messages as they are told of. One consumer for all accounts: who sends never waits for a number that many change.
import type { EventConsumer } from '../../../platform/event-consumers/consume.ts';
import { resourcesIn } from '../../../platform/event-consumers/cursors.ts';
import { countableMessages, messageEvents } from '../../messages/index.ts';
import { consumerName } from './consumer.ts';
import { countMessages } from './count.ts';
import { fillFrom } from './rebuild.ts';

const types = Object.values(messageEvents).map(({ name }) => name);

/** An account is counted anew once a second at most: a thousand events then cost as much as a few. */
const apartMs = 1_000;

export const analyticsConsumer: EventConsumer = {
  name: consumerName,
  apartMs,
  everywhere: { missed: (t) => fillFrom(t, null) },
  async handle(t, range) {
    const sids = await resourcesIn(t, range, types);
    if (sids.length > 0) await countMessages(t, await countableMessages(t, sids));
    return undefined;
  },
};
