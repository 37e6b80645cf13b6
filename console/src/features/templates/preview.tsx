// A template as the customer would see it.
import { Panel } from '../../ui/panel.tsx';
import { useResourceWords } from '../../words/resources/words.ts';
import { Bubble } from '../sandbox-phones/bubble.tsx';
import { type Part, shownAs } from './shown-as.ts';

export function Preview({ components }: { components: readonly Part[] }) {
  const words = useResourceWords().templates;
  return (
    <Panel title={words.preview}>
      <ul className="grid rounded-md bg-soft p-3" data-preview="template">
        <Bubble message={shownAs(components, words.standIns)} />
      </ul>
    </Panel>
  );
}
