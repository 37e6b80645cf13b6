import { StateWord, type Tones } from '../../ui/text/state-word.tsx';
import { useWords } from '../../words/words.tsx';

const tones: Tones = { delivered: 'good', read: 'good', failed: 'bad', expired: 'bad', unknown: 'warn' };

/** What became of a message. */
export const Status = ({ status }: { status: string }) => (
  <StateWord state={status} names={useWords().messages.statuses} tones={tones} />
);
