// The operation behind a launched campaign: it cuts the audience, then takes turn after turn until everybody has a message or a recorded
// refusal. It rests where the campaign does, and is woken by whoever resumes it.
import type { TenantTx } from '../../../platform/db/database.ts';
import { Closed, Sid } from '../../../platform/http/input/schema.ts';
import { defineOperationType, type RunningOperation, type StepOutcome } from '../../operations/index.ts';
import { type CampaignRow, lockCampaign } from '../resource/rows.ts';
import { hasEnded } from '../states.ts';
import { cutAudience } from './cut-audience.ts';
import { looksAgainAt, type Turn, takeTurn } from './take-turn.ts';

const input = Closed({ campaignSid: Sid('CP') });
type Running = RunningOperation<{ campaignSid: string }>;

// Then others get its place.
const turnsInRun = 50;

export const runCampaign = defineOperationType({
  type: 'campaigns.run',
  input,
  // The campaign is canceled, and takes it along.
  cancelable: false,
  async run(context, operation): Promise<StepOutcome> {
    const { campaignSid } = operation.input;
    await context.write((t) => cutOnce(t, operation));
    for (let turns = 0; turns < turnsInRun && !context.signal.aborted; turns += 1) {
      const turn = await context.write((t) => counted(t, operation));
      if (hasEnded(turn.row.state)) return { result: resultOf(turn.row) };
      // Asked where the wait is written down: somebody may have resumed it since.
      if (turn.waits) return { waitUntil: (t) => looksAgainAt(t, campaignSid) };
    }
    return { waitUntil: context.now() };
  },
});

async function cutOnce(t: TenantTx, operation: Running): Promise<void> {
  const row = await lockCampaign(t, operation.input.campaignSid);
  if (row.cutAt !== null || row.state !== 'SCHEDULED') return;
  await operation.stillRuns(t, { total: await cutAudience(t, row) });
}

async function counted(t: TenantTx, operation: Running): Promise<Turn> {
  const turn = await takeTurn(t, operation.input.campaignSid);
  await operation.stillRuns(t, { done: turn.done, failed: turn.failed });
  return turn;
}

const resultOf = ({ sid, state, recipients, admitted, refused }: CampaignRow) => ({
  campaignSid: sid,
  state,
  recipients,
  admitted,
  refused,
});
