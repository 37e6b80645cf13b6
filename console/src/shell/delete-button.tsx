// Deleting what a page shows, and leaving the page.
import { ProblemPanel } from '../ui/problem.tsx';
import { SureButton } from '../ui/sure-button.tsx';
import { useAct } from './act.ts';

type Props = {
  /** What it is kept under. */
  name: string;
  label: string;
  sure: string;
  busy?: boolean;
  remove(): Promise<unknown>;
  /** Leads away: what is gone cannot be looked at any more. */
  onGone(): unknown;
};

export function DeleteButton({ name, label, sure, busy = false, remove, onGone }: Props) {
  const act = useAct(name, remove, onGone);
  return (
    <div className="grid gap-2">
      <SureButton label={label} sure={sure} busy={busy || act.isPending} onSure={() => act.mutate()} />
      {act.error && <ProblemPanel error={act.error} />}
    </div>
  );
}
