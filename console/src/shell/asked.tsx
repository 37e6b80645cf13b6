// Something that is asked of the service for a page: what is known of it, that it is on its way, or what went wrong.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ProblemPanel } from '../ui/problem.tsx';
import { Waiting } from '../ui/waiting.tsx';
import { useWorkspace } from './workspace.tsx';

type Props<Answer> = {
  /** Under which it is kept, and by whose first part it is read anew. */
  name: readonly [string, ...unknown[]];
  load(): Promise<Answer>;
  /** After how long it is asked again by itself; not at all where nothing is given. */
  againMs?: (answer: Answer) => number | false;
  children(answer: Answer): ReactNode;
};

export function Asked<Answer>({ name, load, againMs, children }: Props<Answer>) {
  const { key } = useWorkspace();
  const { data, error, refetch } = useQuery({
    queryKey: [...key, ...name],
    queryFn: load,
    refetchInterval: ({ state }) => (state.data !== undefined && againMs ? againMs(state.data) : false),
  });
  if (error) return <ProblemPanel error={error} retry={refetch} />;
  if (data === undefined) return <Waiting />;
  return children(data);
}
