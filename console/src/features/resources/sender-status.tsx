import { StateWord, type Tones } from '../../ui/text/state-word.tsx';
import { useResourceWords } from '../../words/resources/words.ts';

const tones: Tones = {
  CONNECTED: 'good',
  BANNED: 'bad',
  RESTRICTED: 'bad',
  DISCONNECTED: 'bad',
  DELETED: 'quiet',
  MIGRATED: 'quiet',
  PENDING: 'warn',
  UNVERIFIED: 'warn',
  FLAGGED: 'warn',
  RATE_LIMITED: 'warn',
};

export const SenderStatus = ({ status }: { status: string }) => (
  <StateWord state={status} names={useResourceWords().senders.statuses} tones={tones} />
);
