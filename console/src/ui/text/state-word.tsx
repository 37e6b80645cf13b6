export type Tones = Readonly<Record<string, 'good' | 'bad' | 'warn' | 'quiet'>>;

const colours = { good: 'text-good', bad: 'text-bad', warn: 'text-warn', quiet: 'text-quiet' };

type Props = { state: string; names: Readonly<Record<string, string>>; tones?: Tones };

/** How something is, in its own colour; a word this version does not know is shown as it is. */
export const StateWord = ({ state, names, tones = {} }: Props) => {
  const tone = tones[state];
  return (
    <span data-state={state} className={tone && colours[tone]}>
      {names[state] ?? state}
    </span>
  );
};
