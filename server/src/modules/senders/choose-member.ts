// Which member of a pool speaks: the highest priority that can speak at all, and there whoever carries the least for its
// weight. Pure, so that the choice can be tried on every shape of pool.

export type Candidate = {
  senderSid: string;
  /** 1 to 100: a member of weight 2 takes twice what one of weight 1 does. */
  weight: number;
  /** 0 is asked first. */
  priority: number;
  /** How many contacts it already speaks with. */
  assigned: number;
  ready: boolean;
};

export function chooseMember(members: readonly Candidate[]): Candidate | null {
  let best: Candidate | null = null;
  for (const member of members) {
    if (member.ready && (best === null || before(member, best))) best = member;
  }
  return best;
}

/** Compared without dividing, so that equal shares are equal. The SID decides between members nothing else tells apart. */
function before(a: Candidate, b: Candidate): boolean {
  if (a.priority !== b.priority) return a.priority < b.priority;
  const shareA = (a.assigned + 1) * b.weight;
  const shareB = (b.assigned + 1) * a.weight;
  return shareA === shareB ? a.senderSid < b.senderSid : shareA < shareB;
}
