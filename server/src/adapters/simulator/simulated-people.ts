// The people a sandbox writes to, who live in the simulator.
import type { SimulatedPeople } from '../../modules/privacy/index.ts';
import { callControl } from './control.ts';

export const simulatedPeople: SimulatedPeople = {
  async forget({ baseUrl }, { from, wabaIds }) {
    const call = { method: 'POST', path: 'people/forget', body: { from, wabaIds } } as const;
    const answer = await callControl(baseUrl, 'The simulator', call);
    // What it refuses is the name of nobody it could know.
    return answer.ok || !answer.retryable ? { ok: true } : { ok: false, reason: answer.reason };
  },
};
