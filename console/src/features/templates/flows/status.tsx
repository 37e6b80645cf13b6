import { StateWord, type Tones } from '../../../ui/text/state-word.tsx';
import { useResourceWords } from '../../../words/resources/words.ts';

const tones: Tones = {
  PUBLISHED: 'good',
  DRAFT: 'warn',
  THROTTLED: 'warn',
  BLOCKED: 'bad',
  DEPRECATED: 'quiet',
};

export const FlowStatus = ({ status }: { status: string }) => (
  <StateWord state={status} names={useResourceWords().flows.statuses} tones={tones} />
);
