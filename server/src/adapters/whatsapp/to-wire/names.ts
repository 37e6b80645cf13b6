import type { OutboundMessage } from '../../../modules/provider/index.ts';

/** What the provider calls our media and flows. */
export type Names = { media(sid: string): string; flow(sid: string): string };

/** A name nobody gave is a mistake of ours: the message cannot be built, and nothing was sent. */
export class NameMissing extends Error {
  override name = 'NameMissing';
}

export function namesOf({ mediaIds, flowIds }: Pick<OutboundMessage, 'mediaIds' | 'flowIds'>): Names {
  const find = (names: ReadonlyMap<string, string>) => (sid: string) => {
    const name = names.get(sid);
    if (name === undefined) throw new NameMissing(`the provider's name of ${sid} is missing`);
    return name;
  };
  return { media: find(mediaIds), flow: find(flowIds) };
}
