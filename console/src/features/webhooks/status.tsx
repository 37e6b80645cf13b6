import { useWords } from '../../words/words.tsx';

const colours: Record<string, string> = {
  active: 'text-good',
  delivered: 'text-good',
  suspended: 'text-bad',
  failed: 'text-bad',
  unverified: 'text-warn',
  paused: 'text-warn',
};

/** A word this version does not know is shown as it is. */
export function EndpointStatus({ status }: { status: string }) {
  const { statuses } = useWords().webhooks;
  return (
    <span data-status={status} className={colours[status] ?? ''}>
      {statuses[status as keyof typeof statuses] ?? status}
    </span>
  );
}

/** What became of a delivery. */
export function DeliveryState({ state }: { state: string }) {
  const { states } = useWords().webhooks;
  return (
    <span data-state={state} className={colours[state] ?? ''}>
      {states[state as keyof typeof states] ?? state}
    </span>
  );
}
