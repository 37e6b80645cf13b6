// The console as people meet it: in a browser, in front of a service of its own.
import { measureEach, type Part } from '../../part.ts';
import { lists } from './lists.ts';

export const consoleInBrowser: Part = {
  name: 'console',
  description:
    'the console in a browser: a million contacts scrolled',
  run: (context) => measureEach(context, { lists }),
};
