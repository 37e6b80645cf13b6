import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useWorkspace } from './workspace.tsx';

/** Something that is done to what is kept under a name; whatever comes of it, that is read anew once `onDone` is over. */
export function useAct<Given = void, Answer = unknown>(
  name: string,
  act: (given: Given) => Promise<Answer>,
  onDone?: (answer: Answer) => unknown,
) {
  const { key } = useWorkspace();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: onDone,
    onSettled: () => queries.invalidateQueries({ queryKey: [...key, name] }),
  });
}
