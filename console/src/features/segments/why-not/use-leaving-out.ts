// Leaves people out of what is sent, and takes it back.
import type { Segment } from '@godwit/sdk';
import { useState } from 'react';
import { useAct } from '../../../shell/act.ts';
import { useWorkspace } from '../../../shell/workspace.tsx';
import { useWords } from '../../../words/words.tsx';
import { type LeavingOut, under } from './leaving-out.ts';

/** A segment as it was, and what it is now; or another one that was made from it. */
export type LeftOut = { before: Segment; after: Segment };
type Way = Exclude<LeavingOut, { not: string }>;

export function useLeavingOut(segment: Segment, onChanged: () => void) {
  const words = useWords().segments;
  const { api } = useWorkspace();
  const [done, setDone] = useState<LeftOut | null>(null);
  const leave = useAct(
    'segments',
    async ({ way, code }: { way: Way; code: string }): Promise<LeftOut> => {
      // As it is now, whoever changed it meanwhile.
      const before = await api.segments.get(segment.sid);
      const { kind, filters } = before;
      if (way.by !== 'names') {
        const after = await api.segments.update(before.sid, { kind, filters: under(way.by, before) });
        return { before, after };
      }
      const after = await api.segments.create({
        kind,
        name: words.withoutThem(shortened(before.name), code),
        contactSids: way.contactSids,
        ...(filters && { filters }),
      });
      return { before, after };
    },
    (now) => {
      setDone(now);
      if (isChange(now)) onChanged();
    },
  );
  const takeBack = useAct(
    'segments',
    ({ before, after }: LeftOut) =>
      isChange({ before, after })
        ? api.segments.update(before.sid, { kind: before.kind, filters: before.filters ?? {} })
        : api.segments.delete(after.sid),
    () => {
      if (done && isChange(done)) onChanged();
      setDone(null);
    },
  );
  return {
    done,
    leave(way: Way, code: string) {
      takeBack.reset();
      leave.mutate({ way, code });
    },
    takeBack() {
      if (done) takeBack.mutate(done);
    },
    isBusy: leave.isPending || takeBack.isPending,
    error: leave.error ?? takeBack.error,
  };
}

/** Whether it is the segment itself that is another one now. */
export const isChange = ({ before, after }: LeftOut) => before.sid === after.sid;

// A name takes 128 characters, and the reason has to fit behind it.
const shortened = (name: string) => Array.from(name).slice(0, 80).join('');
