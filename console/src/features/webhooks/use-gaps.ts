// What an endpoint never acknowledged, watched for a while after something was sent to it again.
import type { WebhookGap } from '@godwit/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useWorkspace } from '../../shell/workspace.tsx';

const againMs = 2_000;
const watchedTimes = 30;

export type GapRange = { from: number; to: number; count: number; isFailed: boolean };

export function useGaps(sid: string) {
  const { api, key } = useWorkspace();
  const queries = useQueryClient();
  const queryKey = [...key, 'webhooks', sid, 'gaps'];
  // So many answers are waited for; a page that nobody uses asks nothing.
  const [watchedUntil, setWatchedUntil] = useState(0);
  const asked = useQuery({
    queryKey,
    queryFn: async () => await api.webhooks.listGaps(sid, { limit: 100 }),
    refetchInterval: ({ state }) =>
      state.data?.data.length && state.dataUpdateCount < watchedUntil ? againMs : false,
  });
  return {
    ranges: asked.data && rangesOf(asked.data.data),
    hasMore: asked.data?.hasMore ?? false,
    error: asked.error,
    refetch: asked.refetch,
    /** Changes whenever the gaps do. */
    mark: asked.data?.data.map(({ sequence, state }) => `${sequence}${state}`).join(' ') ?? '',
    watch: () => {
      setWatchedUntil((queries.getQueryState(queryKey)?.dataUpdateCount ?? 0) + watchedTimes);
      void queries.invalidateQueries({ queryKey: [...key, 'webhooks', sid] });
    },
  };
}

export type WatchedGaps = ReturnType<typeof useGaps>;

/** Neighbours of one kind together. Between two of them stands what the endpoint acknowledged or does not hear of. */
function rangesOf(gaps: readonly WebhookGap[]): GapRange[] {
  const ranges: GapRange[] = [];
  for (const { sequence, state } of gaps.toSorted((a, b) => a.sequence - b.sequence)) {
    const last = ranges.at(-1);
    const isFailed = state !== 'pending';
    if (last && last.to + 1 === sequence && last.isFailed === isFailed) {
      last.to = sequence;
      last.count += 1;
    } else ranges.push({ from: sequence, to: sequence, count: 1, isFailed });
  }
  return ranges;
}
