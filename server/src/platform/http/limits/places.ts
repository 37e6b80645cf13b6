// Places for answers that last: so many for an account, and so many in a process.
import { quotaReached } from './rate-limit.ts';

export type Places = {
  /** Takes a place until the signal says that it is free again. Refuses where none is left. */
  take(accountSid: string, signal: AbortSignal): void;
  taken(): number;
};

type Measure = { name: string; perAccount: number; perProcess?: number };

// They are held for long: whoever found none asks again when some may have been left.
const waitSeconds = 5;

export function createPlaces({ name, perAccount, perProcess = Number.POSITIVE_INFINITY }: Measure): Places {
  const ofAccounts = new Map<string, number>();
  let all = 0;
  return {
    take(accountSid, signal) {
      const taken = ofAccounts.get(accountSid) ?? 0;
      if (taken >= perAccount) throw quotaReached({ name, quota: perAccount }, waitSeconds);
      if (all >= perProcess)
        throw quotaReached({ name: `${name}-of-process`, quota: perProcess }, waitSeconds);
      if (signal.aborted) return;
      ofAccounts.set(accountSid, taken + 1);
      all += 1;
      const leave = () => {
        all -= 1;
        const left = ofAccounts.get(accountSid)! - 1;
        if (left > 0) ofAccounts.set(accountSid, left);
        else ofAccounts.delete(accountSid);
      };
      signal.addEventListener('abort', leave, { once: true });
    },
    taken: () => all,
  };
}
