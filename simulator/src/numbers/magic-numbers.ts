// Numbers whose last four digits make it hard to add, to move or to register them.
import { GraphError } from '../errors.ts';

type Hardship = {
  suffix: string;
  means: string;
  /** Throws what the call is refused with. */
  add?: () => void;
  requestCode?: () => void;
  /** The PIN it has from the day it is added, so that any other is wrong. */
  pin?: string;
};

export const twoStepIsOn = () =>
  new GraphError(100, 'Two-step verification is still on at the source.', {
    subcode: 2388001,
    userTitle: 'Number cannot be moved',
  });

export const magicNumbers: Hardship[] = [
  {
    suffix: '9301',
    means: 'is not added: two-step verification is on where it comes from (2388001)',
    add() {
      throw twoStepIsOn();
    },
  },
  {
    suffix: '9302',
    means: 'is not added: it is in maintenance (2494100)',
    add() {
      throw new GraphError(2494100, 'The number is in maintenance. Try again in a few minutes.');
    },
  },
  {
    suffix: '9303',
    means: 'is sent no code (136024)',
    requestCode() {
      throw new GraphError(136024, 'A code cannot be sent now.');
    },
  },
  { suffix: '9304', means: 'has the PIN `482916` already: any other is wrong (133005)', pin: '482916' },
];

export const hardshipOf = (digits: string): Hardship | undefined =>
  magicNumbers.find(({ suffix }) => digits.endsWith(suffix));
