import { Link } from '@tanstack/react-router';
import { useWorkspace } from '../../shell/workspace.tsx';

export const SenderLink = ({ sid, label }: { sid: string; label: string }) => (
  <Link
    to="/$environment/$account/senders/$sender"
    params={{ ...useWorkspace().here, sender: sid }}
    className="text-accent underline"
  >
    {label}
  </Link>
);
