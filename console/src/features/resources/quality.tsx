import { StateWord, type Tones } from '../../ui/text/state-word.tsx';
import { useResourceWords } from '../../words/resources/words.ts';

const qualityTones: Tones = { GREEN: 'good', YELLOW: 'warn', RED: 'bad', UNKNOWN: 'quiet' };

/** What the provider thinks of how people take it: of a template or of a sender. */
export const Quality = ({ quality }: { quality: string }) => (
  <StateWord state={quality} names={useResourceWords().qualities} tones={qualityTones} />
);
