// Does the effects of a round, one type after the other and always in the same order, so that the locks of two rounds cannot cross.
import type { TenantTx } from '../../../platform/db/database.ts';
import type { EffectType } from '../interpreter/effects.ts';
import { askEndpoints } from './ask-endpoints.ts';
import { changePeople, recordConsentOf, suppressPeople } from './change-people.ts';
import { editThem } from './edit-conversations.ts';
import type { Done, Door } from './effect-doors.ts';
import { notifyPeople } from './notify-people.ts';
import { sendMessages } from './send-messages.ts';
import { startWorkflows } from './start-workflows.ts';
import type { Walk } from './walk.ts';

const doors: { [T in EffectType]: Door<T> } = {
  set_contact: changePeople,
  record_consent: recordConsentOf,
  suppress: suppressPeople,
  assign_conversation: editThem,
  move_conversation: editThem,
  close_conversation: editThem,
  reopen_conversation: editThem,
  send_message: sendMessages,
  http_request: askEndpoints,
  notify: notifyPeople,
  start_workflow: startWorkflows,
};

/** Afterwards each walk has its result as what it is told next, or an effect that is not done yet. */
export async function applyEffects(t: TenantTx, walks: Walk[]): Promise<void> {
  for (const [type, door] of Object.entries(doors)) {
    const tasks = walks.filter(({ effect }) => effect!.effect.type === type);
    if (tasks.length === 0) continue;
    const apply = door as unknown as (
      t: TenantTx,
      tasks: { walk: Walk; effect: object }[],
    ) => Promise<Done[]>;
    const ends = await apply(
      t,
      tasks.map((walk) => ({ walk, effect: walk.effect!.effect })),
    );
    for (const [at, walk] of tasks.entries()) settle(walk, ends[at]!);
  }
}

function settle(walk: Walk, done: Done): void {
  if ('effect' in done) {
    walk.effect = done.effect;
    walk.laterAt = done.at;
    return;
  }
  const { position } = walk.effect!;
  if ('error' in done) {
    walk.input = { kind: 'result', position, error: done.error };
    return;
  }
  if (done.eventSid !== null) walk.told.set(position, done.eventSid);
  walk.input = { kind: 'result', position, output: done.output };
}
