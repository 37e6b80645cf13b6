// The slots of a process: how many requests may be under way at once, and whose turn it is. Endpoints that hang keep
// their slots for long, and yet there is always one for another:
//
// - While several accounts have work, none holds more than a quarter of the slots; one alone leaves a quarter.
// - Within that, an endpoint takes up to twice what it leaves free to the others of its account, and an account up to
//   twice what it leaves free to other accounts. The more of them take much, the less each can take.
// - An endpoint with nothing under way may always begin one, even when all slots are taken.
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

  function hasRoom({ lease, underWay }: Lane): boolean {
    if (underWay === 0) return true;
    const ofAccount = busy.get(lease.accountSid) ?? 0;
    return underWay < 2 * (mostOfAccount - ofAccount) && ofAccount < 2 * (most - taken);
  }

  function startOne(lane: Lane): boolean {
    if (!hasWork(lane) || !hasRoom(lane)) return false;
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
