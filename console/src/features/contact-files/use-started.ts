// What was begun is followed on its own page.
import type { Operation } from '@godwit/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useWorkspace } from '../../shell/workspace.tsx';

export function useStarted() {
  const { here, key } = useWorkspace();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async ({ sid }: Operation) => {
    await queries.invalidateQueries({ queryKey: [...key, 'operations'] });
    await navigate({
      to: '/$environment/$account/operations/$operation',
      params: { ...here, operation: sid },
    });
  };
}
