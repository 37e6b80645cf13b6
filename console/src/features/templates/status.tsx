import { StateWord, type Tones } from '../../ui/text/state-word.tsx';
import { useResourceWords } from '../../words/resources/words.ts';

const statusTones: Tones = {
  APPROVED: 'good',
  REJECTED: 'bad',
  DISABLED: 'bad',
  LIMIT_EXCEEDED: 'bad',
  LOCKED: 'bad',
  PENDING: 'warn',
  PAUSED: 'warn',
  IN_APPEAL: 'warn',
  PENDING_DELETION: 'warn',
};

export const TemplateStatus = ({ status }: { status: string }) => (
  <StateWord state={status} names={useResourceWords().templates.statuses} tones={statusTones} />
);
