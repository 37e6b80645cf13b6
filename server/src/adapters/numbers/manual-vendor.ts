// No vendor that could be called: somebody of the operator does everything by hand.
import type { NumberVendor } from '../../modules/managed-onboarding/index.ts';

const byHand = async () => ({ by: 'staff' }) as const;

export const manualVendor: NumberVendor = {
  search: byHand,
  order: byHand,
  portIn: byHand,
  status: byHand,
  readCode: byHand,
  release: byHand,
};
