import { type Gate, isUnusable, pass, skip, unusable } from './case.ts';

export const composer: Gate = {
  name: 'composer',
  judge({ composer: found }) {
    if (found === null) return skip();
    return isUnusable(found) ? unusable(found) : pass({ ...found });
  },
};
