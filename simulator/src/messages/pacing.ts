// A new template, or one whose pause is over, is tried on a sample first: what follows is held until the provider has
// seen how people take it, and then sent or dropped.
import type { Settings } from '../settings.ts';
import type { Timeline } from '../timeline.ts';
import type { Template } from '../world.ts';

type Parts = { settings: Settings; timeline: Timeline };
type Go = (released: boolean) => void;
export type Pacing = ReturnType<typeof createPacing>;

export function createPacing({ settings, timeline }: Parts) {
  const held = new Map<string, Go[]>();

  const assess = (template: Template) => {
    const waiting = held.get(template.id) ?? [];
    held.delete(template.id);
    template.sampleLeft = null;
    const good = template.status === 'APPROVED' && template.quality !== 'RED';
    for (const go of waiting) go(good);
  };

  return {
    /** From now on a sample goes out first. Codes are too urgent to be held. */
    start(template: Template): void {
      const sampled = settings.pacingSample > 0 && template.category !== 'AUTHENTICATION';
      template.sampleLeft = sampled ? settings.pacingSample : null;
    },
    /** Whether the next message of the template is to be held; counts it as one of the sample otherwise. */
    holds(template: Template): boolean {
      if (template.sampleLeft === null) return false;
      if (template.sampleLeft === 0) return true;
      template.sampleLeft -= 1;
      return false;
    },
    /** Keeps a message until the assessment, which comes some time after the first one was held. */
    hold(template: Template, go: Go): void {
      const waiting = held.get(template.id);
      if (waiting) waiting.push(go);
      else {
        held.set(template.id, [go]);
        timeline.after(settings.pacingMs, () => assess(template), { lasting: true });
      }
    },
    forget: () => held.clear(),
  };
}
