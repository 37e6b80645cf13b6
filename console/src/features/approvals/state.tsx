import { StateWord } from '../../ui/text/state-word.tsx';
import { useWords } from '../../words/words.tsx';

const tones = { PENDING: 'warn', APPROVED: 'good', REJECTED: 'bad' } as const;

export const State = ({ state }: { state: string }) => (
  <StateWord state={state} names={useWords().approvals.states} tones={tones} />
);
