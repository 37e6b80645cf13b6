import { type PageEntry, pages } from './pages.ts';
import { useWorkspace } from './workspace.tsx';

/** The pages that somebody may use here. */
export function useMyPages(): readonly PageEntry[] {
  const { can } = useWorkspace();
  return pages.filter(({ anyOf }) => anyOf.length === 0 || anyOf.some(can));
}
