import { StateWord, type Tones } from '../../ui/text/state-word.tsx';
import { useWords } from '../../words/words.tsx';

const tones: Tones = {
  active: 'good',
  delivered: 'good',
  suspended: 'bad',
  failed: 'bad',
  unverified: 'warn',
  paused: 'warn',
};

export const EndpointStatus = ({ status }: { status: string }) => (
  <StateWord state={status} names={useWords().webhooks.statuses} tones={tones} />
);

/** What became of a delivery. */
export const DeliveryState = ({ state }: { state: string }) => (
  <StateWord state={state} names={useWords().webhooks.states} tones={tones} />
);
