// What came of an import or export, and the file it left.
import type { Operation } from '@godwit/sdk';
import { useMutation } from '@tanstack/react-query';
import { download } from '../../shell/download.ts';
import { useWorkspace } from '../../shell/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemPanel } from '../../ui/problem.tsx';
import { useFormats, useWords } from '../../words/words.tsx';

type Kept = { format?: string; expiresAt: string } | null;
type Result = { file?: Kept; errors?: Kept; dryRun?: boolean } & Record<string, unknown>;

const counted = ['rows', 'created', 'updated', 'unchanged', 'conflicts', 'consents'] as const;

/** Whether an operation is one of these. */
export const isOfContactFiles = ({ type }: Operation) =>
  /^contacts\.(import|import-check|export)$/.test(type);

export function FileResult({ operation: { sid, result } }: { operation: Operation }) {
  const words = useWords().contactFiles;
  const { number, time } = useFormats();
  const { api, can } = useWorkspace();
  const told = (result ?? {}) as Result;
  const facts = counted.flatMap((name): Fact[] => {
    const count = told[name];
    return typeof count === 'number'
      ? [
          [
            words.counts[name],
            <span key={name} data-count={name}>
              {number(count)}
            </span>,
          ],
        ]
      : [];
  });
  return (
    <Panel title={told.dryRun ? words.wouldCome : words.came}>
      <Facts facts={facts} />
      <div className="mt-3 grid gap-2 justify-items-start">
        {told.file && can('downloadContactExport') && (
          <Fetched
            label={words.downloadExport}
            name={`contacts.${told.file.format ?? 'csv'}`}
            until={words.until(time(told.file.expiresAt))}
            ask={() => api.contactFiles.downloadExport(sid)}
          />
        )}
        {told.errors && can('downloadContactImportErrors') && (
          <Fetched
            label={words.downloadErrors}
            name="refused-rows.csv"
            until={words.until(time(told.errors.expiresAt))}
            ask={() => api.contactFiles.downloadImportErrors(sid)}
          />
        )}
      </div>
    </Panel>
  );
}

type FetchedProps = { label: string; name: string; until: string; ask(): Promise<Response> };

function Fetched({ label, name, until, ask }: FetchedProps) {
  const fetched = useMutation({
    mutationFn: async () => download(name, await (await ask()).blob()),
  });
  return (
    <>
      <Button busy={fetched.isPending} onClick={() => fetched.mutate()}>
        {label}
      </Button>
      <span className="text-sm text-quiet">{until}</span>
      {fetched.error && <ProblemPanel error={fetched.error} />}
    </>
  );
}
