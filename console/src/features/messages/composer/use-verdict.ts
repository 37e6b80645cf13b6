// What sending would say, asked for shortly after the last key.
import type { SendMessageRequest } from '@godwit/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useWorkspace } from '../../../shell/workspace.tsx';

const restMs = 300;

/** The value, once it has not changed for a moment. */
export function useRested<T>(value: T): T {
  const text = JSON.stringify(value);
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), restMs);
    return () => clearTimeout(timer);
  }, [text]);
  return JSON.parse(rested) as T;
}

/** `isCurrent` tells whether the verdict is about the message as it stands now. */
export function useVerdict(body: SendMessageRequest | null) {
  const { api, key } = useWorkspace();
  const rested = useRested(body);
  const asked = useQuery({
    queryKey: [...key, 'preflight', rested],
    queryFn: ({ signal }) => api.messages.preflight(rested!, { signal }),
    enabled: rested !== null,
    placeholderData: keepPreviousData,
    // Consent, windows and prices change by themselves.
    staleTime: 0,
    gcTime: 0,
  });
  // While it is asked for again, because something happened, the last answer holds: the service judges what is sent anyway.
  const isCurrent = !asked.isPlaceholderData && !asked.isPending && same(rested, body);
  return {
    verdict: rested === null ? undefined : asked.data,
    error: asked.error,
    refetch: asked.refetch,
    isCurrent,
  };
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
