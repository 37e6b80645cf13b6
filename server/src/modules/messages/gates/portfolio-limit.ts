import { fail, type Gate, pass, skip } from './case.ts';

/** How many people a business may write to first in 24 hours; answers inside a window do not count. */
export const portfolioLimit: Gate = {
  name: 'portfolio_limit',
  judge({ portfolio, window }) {
    if (!portfolio || window.open) return skip();
    const { id, messagingLimit, limit, used, counted } = portfolio;
    const evidence = { portfolioId: id, messagingLimit, limit, used, counted };
    if (limit === null || counted || used < limit) return pass(evidence);
    return fail('PORTFOLIO_LIMIT_EXHAUSTED', evidence);
  },
};
