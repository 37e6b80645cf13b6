// Contacts from a file and into one. Both are operations: whoever leaves finds them again there.
import { Link } from '@tanstack/react-router';
import { useWorkspace } from '../../shell/workspace.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { useWords } from '../../words/words.tsx';
import { ExportForm } from './export-form.tsx';
import { ImportForm } from './import-form.tsx';

export function ContactFilesPage() {
  const words = useWords().contactFiles;
  const { can, here } = useWorkspace();
  return (
    <div className="grid gap-4">
      <PageHead title={words.title} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        {can('importContacts') && <ImportForm />}
        {can('exportContacts') && <ExportForm />}
      </div>
      {can('listOperations') && (
        <p>
          <Link
            to="/$environment/$account/operations"
            params={here}
            search={{}}
            className="text-accent underline"
          >
            {words.allOperations}
          </Link>
        </p>
      )}
    </div>
  );
}
