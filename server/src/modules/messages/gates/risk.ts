import { fail, type Gate, pass } from './case.ts';

/** Whoever was blocked for risk is refused as such, whatever the scope of the block. */
export const risk: Gate = {
  name: 'risk',
  judge({ suppressions }) {
    const block = suppressions.find(({ reason }) => reason === 'RISK_BLOCK');
    return block ? fail('RISK_BLOCKED', { suppressionSid: block.sid }) : pass();
  },
};
