import { useWords } from '../../words/words.tsx';

const colours: Record<string, string> = {
  OPTED_IN: 'text-good',
  OPTED_OUT: 'text-bad',
  REVOKED: 'text-bad',
  EXPIRED: 'text-warn',
};

/** A word this version does not know is shown as it is. */
export function ConsentStatus({ status }: { status: string }) {
  const { statuses } = useWords().contacts;
  return (
    <span data-consent={status} className={colours[status] ?? 'text-quiet'}>
      {statuses[status as keyof typeof statuses] ?? status}
    </span>
  );
}
