// What the provider tells about templates, and what it means for them.
import { dayMs } from '../numbers/people.ts';
import type { Simulation } from '../simulation.ts';
import type { Template } from '../world.ts';

const hourMs = 3_600_000;

/** The status a template has after each event. */
const statusAfter: Record<string, string> = {
  APPROVED: 'APPROVED',
  REJECTED: 'REJECTED',
  PENDING: 'PENDING',
  PAUSED: 'PAUSED',
  DISABLED: 'DISABLED',
  FLAGGED: 'APPROVED',
  REINSTATED: 'APPROVED',
  IN_APPEAL: 'IN_APPEAL',
  PENDING_DELETION: 'PENDING_DELETION',
  DELETED: 'DELETED',
  LIMIT_EXCEEDED: 'LIMIT_EXCEEDED',
  LOCKED: 'LOCKED',
  ARCHIVED: 'ARCHIVED',
  UNARCHIVED: 'APPROVED',
};
export const templateEvents = Object.keys(statusAfter);

const aboutTemplate = ({ id, name, language }: Template) => ({
  message_template_id: Number(id),
  message_template_name: name,
  message_template_language: language,
});

function tell(
  simulation: Simulation,
  template: Template,
  field: string,
  value: Record<string, unknown>,
): void {
  const timeS = Math.floor(simulation.timeline.nowMs() / 1000);
  simulation.notify({ wabaId: template.wabaId, field, kind: 'value', value, timeS });
}

export function tellStatus(
  simulation: Simulation,
  template: Template,
  event: string,
  reason: string | null = null,
  more: Record<string, unknown> = {},
): void {
  template.status = statusAfter[event] ?? template.status;
  template.updatedMs = simulation.timeline.nowMs();
  if (event === 'APPROVED') {
    template.approvedMs = template.updatedMs;
    simulation.pacing.start(template);
  }
  if (event === 'REJECTED') template.rejectedReason = reason ?? 'INVALID_FORMAT';
  simulation.world.changed();
  tell(simulation, template, 'message_template_status_update', {
    event,
    ...aboutTemplate(template),
    message_template_category: template.category,
    reason: event === 'REJECTED' ? template.rejectedReason : reason,
    ...more,
  });
}

const pauses = [
  { title: 'FIRST_PAUSE', hours: 3 },
  { title: 'SECOND_PAUSE', hours: 6 },
];

/** A new quality. Red pauses the template for three hours, then for six, and the third time for good. */
export function tellQuality(simulation: Simulation, template: Template, quality: string): void {
  const previous = template.quality;
  template.quality = quality;
  simulation.world.changed();
  tell(simulation, template, 'message_template_quality_update', {
    previous_quality_score: previous,
    new_quality_score: quality,
    ...aboutTemplate(template),
  });
  if (quality !== 'RED' || template.status !== 'APPROVED') return;
  const pause = pauses[template.pauses];
  template.pauses += 1;
  if (!pause) {
    tellStatus(simulation, template, 'DISABLED', null, {
      disable_info: { disable_date: Math.floor(simulation.timeline.nowMs() / 1000) },
      other_info: { title: 'DISABLED', description: 'Paused too often because of low quality.' },
    });
    return;
  }
  const description = `Paused for ${pause.hours} hours because of low quality.`;
  tellStatus(simulation, template, 'PAUSED', null, { other_info: { title: pause.title, description } });
  const unpause = () => {
    if (template.status !== 'PAUSED') return;
    tellStatus(simulation, template, 'APPROVED', null, {
      other_info: { title: 'UNPAUSE', description: 'The pause is over.' },
    });
  };
  simulation.timeline.after(pause.hours * hourMs, unpause, { lasting: true });
}

/** What a day later becomes of the category. */
export function announceCategory(simulation: Simulation, template: Template, category: string): void {
  template.correctCategory = category;
  simulation.world.changed();
  tell(simulation, template, 'template_category_update', {
    ...aboutTemplate(template),
    new_category: template.category,
    correct_category: category,
    category_update_timestamp: Math.floor((simulation.timeline.nowMs() + dayMs) / 1000),
  });
  const change = () => {
    if (template.correctCategory === category) tellCategory(simulation, template, category);
  };
  simulation.timeline.after(dayMs, change, { lasting: true });
}

export function tellCategory(simulation: Simulation, template: Template, category: string): void {
  const previous = template.category;
  template.correctCategory = null;
  template.previousCategory = previous;
  template.category = category;
  simulation.world.changed();
  tell(simulation, template, 'template_category_update', {
    ...aboutTemplate(template),
    previous_category: previous,
    new_category: category,
  });
}
