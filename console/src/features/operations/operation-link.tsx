import { Link } from '@tanstack/react-router';
import { useWorkspace } from '../../shell/workspace.tsx';

/** Where the rest of something that takes a while can be watched. */
export const OperationLink = ({ sid, label }: { sid: string; label: string }) => (
  <Link
    to="/$environment/$account/operations/$operation"
    params={{ ...useWorkspace().here, operation: sid }}
    className="text-accent underline"
  >
    {label} <code>{sid}</code>
  </Link>
);
