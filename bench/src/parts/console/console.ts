// The console as people meet it: in a browser, in front of a service of its own.
import { measureEach, type Part } from '../../part.ts';
import { composer } from './composer.ts';
import { lists } from './lists.ts';
import { live } from './live.ts';
import { start } from './start.ts';

export const consoleInBrowser: Part = {
  name: 'console',
  description:
    'the console in a browser: its first start, verdicts while one types, live tabs, a million contacts scrolled',
  run: (context) => measureEach(context, { start, composer, live, lists }),
};
