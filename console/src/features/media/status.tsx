import { StateWord, type Tones } from '../../ui/text/state-word.tsx';
import { useResourceWords } from '../../words/resources/words.ts';

const tones: Tones = {
  READY: 'good',
  REJECTED: 'bad',
  PENDING: 'warn',
  SCANNING: 'warn',
  EXPIRED: 'quiet',
  DELETED: 'quiet',
};

export const MediaStatus = ({ status }: { status: string }) => (
  <StateWord state={status} names={useResourceWords().media.statuses} tones={tones} />
);
