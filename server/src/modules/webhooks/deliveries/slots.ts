// The slots of a process: how many requests may be under way at once, and whose turn it is. While several accounts have
// work, none holds more than a quarter of the slots, and one alone leaves a quarter to whoever comes next: endpoints that
// hang delay nobody but their own account.
import { hasWork, type Lane } from './lane.ts';

const most = 512;
const mostWhileShared = most / 4;
const mostWhileAlone = most - mostWhileShared;

export function createSlots(start: (lane: Lane) => void) {
  const busy = new Map<string, number>();
  let taken = 0;
  let mostOfAccount = mostWhileAlone;

  const count = (lane: Lane, change: 1 | -1) => {
    const { accountSid } = lane.lease;
    const left = (busy.get(accountSid) ?? 0) + change;
    taken += change;
    lane.underWay += change;
    if (left === 0) busy.delete(accountSid);
    else busy.set(accountSid, left);
  };

  function startOne(lane: Lane): boolean {
    const { accountSid } = lane.lease;
    if (taken >= most || !hasWork(lane) || (busy.get(accountSid) ?? 0) >= mostOfAccount) return false;
    count(lane, 1);
    start(lane);
    return true;
  }

  return {
    taken: () => taken,
    /** Gives lanes with work a slot each, in turn, until the slots or the work run out. */
    share(lanes: Lane[]): void {
      const accounts = new Set(lanes.map(({ lease }) => lease.accountSid));
      mostOfAccount = accounts.size > 1 ? mostWhileShared : mostWhileAlone;
      for (let waiting = lanes; waiting.length > 0; ) waiting = waiting.filter(startOne);
    },
    /** A request ended. Its lane goes on; lanes that wait for a slot are asked at the next sharing. */
    free(lane: Lane): void {
      count(lane, -1);
      startOne(lane);
    },
  };
}
