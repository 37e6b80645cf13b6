// Callbacks go wrong now and then, as the provider's do: one comes twice, one after its successors, one never. The dice are
// thrown apart from those for ids, so that how often they strike changes no id.
import type { Random } from '../random.ts';
import type { Timeline } from '../timeline.ts';

export type CallbackOdds = { duplicateCallbacks: number; reorderCallbacks: number; loseCallbacks: number };
type Parts = { settings: CallbackOdds; dice: Random; timeline: Timeline };

/** Sends a callback as often as it is to come, and when; tells when it is lost. */
export function sendFaultily(
  { settings, dice, timeline }: Parts,
  heldBackMs: number,
  send: () => void,
  onLost?: () => void,
): void {
  const strikes = (probability: number) => probability > 0 && dice.fraction() < probability;
  if (strikes(settings.loseCallbacks)) {
    onLost?.();
    return;
  }
  const copies = strikes(settings.duplicateCallbacks) ? 2 : 1;
  const sendAll = () => {
    for (let i = 0; i < copies; i += 1) send();
  };
  if (strikes(settings.reorderCallbacks)) timeline.after(heldBackMs, sendAll);
  else sendAll();
}
