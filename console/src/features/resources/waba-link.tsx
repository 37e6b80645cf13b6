import { Link } from '@tanstack/react-router';
import { useWorkspace } from '../../shell/workspace.tsx';

/** Only the name for whoever may not read business accounts. */
export function WabaLink({ sid, label }: { sid: string; label: string }) {
  const { can, here } = useWorkspace();
  if (!can('getWaba')) return label;
  return (
    <Link
      to="/$environment/$account/wabas/$waba"
      params={{ ...here, waba: sid }}
      className="text-accent underline wrap-anywhere"
    >
      {label}
    </Link>
  );
}
