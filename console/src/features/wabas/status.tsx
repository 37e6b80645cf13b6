import { StateWord, type Tones } from '../../ui/text/state-word.tsx';
import { useResourceWords } from '../../words/resources/words.ts';

const tones: Tones = {
  CONNECTED: 'good',
  VALID: 'good',
  SUBSCRIBED: 'good',
  ACTIVE: 'good',
  DISCONNECTED: 'bad',
  INVALID: 'bad',
  MISSING: 'bad',
  RESTRICTED: 'bad',
  DISABLED: 'bad',
  SCHEDULED: 'bad',
  UNKNOWN: 'quiet',
};

/** One of the several things that can be so of a business account. */
export const WabaWord = ({ state }: { state: string }) => (
  <StateWord state={state} names={useResourceWords().wabas.states} tones={tones} />
);
