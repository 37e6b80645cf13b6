import { useWords } from '../words/words.tsx';

/** Something is on its way. */
export const Waiting = () => (
  <p role="status" className="text-quiet">
    {useWords().shell.loading}…
  </p>
);
