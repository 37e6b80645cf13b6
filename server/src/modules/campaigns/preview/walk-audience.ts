// The people of a draft, in the order in which a launch would admit them, a part at a time. Nothing is kept of those it has passed but
// the few who were merged with somebody.
import type { TenantTx } from '../../../platform/db/database.ts';
import { mergesAmong, restrictionsOf, survivorsOf } from '../../contacts/index.ts';
import { memberSids } from '../../segments/index.ts';
import { type CampaignRow, contactSidsOf } from '../resource/rows.ts';

export class AudienceWalk {
  private readonly segmentSid: string | null;
  /** The people who are named one by one. */
  private readonly named: string[];
  private after = '';
  /** People who are met a second time under another name. */
  private readonly passed = new Set<string>();

  private constructor(segmentSid: string | null, named: string[]) {
    this.segmentSid = segmentSid;
    this.named = named;
  }

  static async of(t: TenantTx, { sid, segmentSid }: CampaignRow): Promise<AudienceWalk> {
    if (segmentSid !== null) return new AudienceWalk(segmentSid, []);
    const people = await survivorsOf(t, (await contactSidsOf(t, sid)) ?? []);
    return new AudienceWalk(null, [...new Set(people.values())].sort());
  }

  /** The next of them; null when there are no more. */
  async next(t: TenantTx, most: number): Promise<string[] | null> {
    const sids = await this.page(t, most);
    if (sids.length === 0) return null;
    this.after = sids.at(-1)!;
    // Those who are named stand for themselves already.
    const people = this.segmentSid === null ? sids : this.onceEach(sids, await mergesAmong(t, sids));
    const restricted = await restrictionsOf(t, people);
    return people.filter((sid) => !restricted.has(sid));
  }

  private async page(t: TenantTx, most: number): Promise<string[]> {
    if (this.segmentSid !== null) return memberSids(t, this.segmentSid, this.after, most);
    const from = this.named.findIndex((sid) => sid > this.after);
    return from === -1 ? [] : this.named.slice(from, from + most);
  }

  private onceEach(sids: string[], merges: { sid: string; survivor: string }[]): string[] {
    if (merges.length === 0 && this.passed.size === 0) return sids;
    const survivorOf = new Map(merges.map(({ sid, survivor }) => [sid, survivor]));
    const mergedInto = Map.groupBy(merges, ({ survivor }) => survivor);
    return sids.flatMap((sid) => {
      const person = survivorOf.get(sid) ?? sid;
      if (this.passed.has(person) || this.passed.has(sid)) return [];
      if (person !== sid) this.passed.add(person);
      for (const { sid: other } of mergedInto.get(person) ?? []) this.passed.add(other);
      return [person];
    });
  }
}
