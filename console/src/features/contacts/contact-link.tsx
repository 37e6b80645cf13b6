import { RowLink } from '../../shell/links/row-link.tsx';
import { useWorkspace } from '../../shell/workspace.tsx';

/** Leads to somebody; their SID where no better name is at hand. */
export function ContactLink({ sid, name }: { sid: string; name?: string | null }) {
  const { here } = useWorkspace();
  return (
    <RowLink
      to="/$environment/$account/contacts/$contact"
      params={{ ...here, contact: sid }}
      className="text-accent underline wrap-anywhere"
    >
      {name || sid}
    </RowLink>
  );
}
