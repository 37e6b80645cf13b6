// What happened lately, what needs somebody, and what to do first.
import { useWords } from '../../words/words.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Last24Hours } from './last-24-hours.tsx';
import { NeedsYou } from './needs-you.tsx';

export function HomePage() {
  return (
    <div className="grid gap-4">
      <h1>{useWords().home.title}</h1>
      <Last24Hours />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <NeedsYou />
        <FirstSteps />
      </div>
    </div>
  );
}
