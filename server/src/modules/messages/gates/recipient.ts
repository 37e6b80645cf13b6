import { type Gate, isUnusable, pass, unusable } from './case.ts';

export const recipient: Gate = {
  name: 'recipient',
  judge({ recipient: found }) {
    if (isUnusable(found)) return unusable(found);
    const { identifier, contactSid, country } = found;
    return pass({ identifier, contactSid, country });
  },
};
