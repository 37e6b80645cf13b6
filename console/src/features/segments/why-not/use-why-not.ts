// Asks for the members of a segment page by page and adds up what is told, until all were judged or somebody has seen enough.
import type { WhyNotMessage } from '@godwit/sdk';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useWorkspace } from '../../../shell/workspace.tsx';
import { nothingJudged, type Tally, withPage } from './tally.ts';

const pageSize = 100;
// A segment may have a million members: after so many pages somebody says whether to go on.
const pagesAtOnce = 20;

type Asked = { message: WhyNotMessage; tally: Tally; after: string | null; isComplete: boolean };

export function useWhyNot(segmentSid: string) {
  const { api } = useWorkspace();
  const [asked, setAsked] = useState<Asked | null>(null);
  const walking = useRef({ isStopped: true });
  const stop = () => {
    walking.current.isStopped = true;
  };
  useEffect(
    () => () => {
      walking.current.isStopped = true;
    },
    [],
  );
  const walk = useMutation({
    async mutationFn(from: Asked) {
      stop();
      const mine = { isStopped: false };
      walking.current = mine;
      setAsked(from);
      let now = from;
      for (let page = 0; page < pagesAtOnce && !mine.isStopped && !now.isComplete; page += 1) {
        const { message, tally, after } = now;
        const told = await api.segments.whyNot(segmentSid, {
          message,
          limit: pageSize,
          ...(after && { after }),
        });
        if (mine !== walking.current) return;
        now = {
          message,
          tally: withPage(tally, told),
          after: told.nextAfter,
          isComplete: told.nextAfter === null,
        };
        setAsked(now);
      }
    },
  });
  return {
    asked,
    isAsking: walk.isPending,
    error: walk.error,
    ask: (message: WhyNotMessage) =>
      walk.mutate({ message, tally: nothingJudged, after: null, isComplete: false }),
    goOn: () => asked && walk.mutate(asked),
    stop,
  };
}
