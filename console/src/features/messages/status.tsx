import { useWords } from '../../words/words.tsx';

const colours: Record<string, string> = {
  delivered: 'text-good',
  read: 'text-good',
  failed: 'text-bad',
  expired: 'text-bad',
  unknown: 'text-warn',
};

/** What became of a message; a word this version does not know is shown as it is. */
export function Status({ status }: { status: string }) {
  const { statuses } = useWords().messages;
  return (
    <span data-status={status} className={colours[status] ?? ''}>
      {statuses[status as keyof typeof statuses] ?? status}
    </span>
  );
}
