import { StateWord } from '../../../ui/text/state-word.tsx';
import { useWords } from '../../../words/words.tsx';

export const MergeStatus = ({ status }: { status: string }) => (
  <StateWord state={status} names={useWords().merges.statuses} />
);
