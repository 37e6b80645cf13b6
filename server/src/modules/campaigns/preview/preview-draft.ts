// A draft judged before it is launched: its whole audience by the gates of sending, in the order of a launch, so that what money, budget and
// limits let through is what they would let through then.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError, invalid } from '../../../platform/errors/errors.ts';
import { readWallet } from '../../billing/index.ts';
import { mailedContacts } from '../../contacts/index.ts';
import { Allowance, AudienceJudge, type AudiencePart } from '../../messages/index.ts';
import { attributesOf, namesPeople, type Person } from '../draft/bodies.ts';
import { budgetInWallet, judgeAudience, judgeNamed } from '../draft/judge.ts';
import { audienceOf } from '../life/campaigns.ts';
import { type CampaignRow, findCampaign } from '../resource/rows.ts';
import { submissionsOf } from '../run/submissions.ts';
import { mostInTurn } from '../run/take-turn.ts';
import type { CampaignPreview } from './schema.ts';
import { PreviewTally } from './tally.ts';
import { AudienceWalk } from './walk-audience.ts';

/** People of the audience, with what the gates judge each by. */
export type Part = { contactSids: string[]; cases: AudiencePart };

export class DraftPreview {
  readonly size: number;
  private readonly row: CampaignRow;
  private readonly walk: AudienceWalk;
  private readonly judging: AudienceJudge;
  private readonly tally = new PreviewTally();

  private constructor(row: CampaignRow, size: number, walk: AudienceWalk, judging: AudienceJudge) {
    this.row = row;
    this.size = size;
    this.walk = walk;
    this.judging = judging;
  }

  /** Refused where the launch would be: what is wrong with the draft, and with whom it names. */
  static async of(t: TenantTx, sid: string): Promise<DraftPreview> {
    const row = await findCampaign(t, sid);
    if (row.state !== 'DRAFT')
      throw new ApiError('CONFLICT', { message: `The campaign is ${row.state}: only a draft is previewed.` });
    const { size, issues } = await judgeAudience(t, await audienceOf(t, row));
    const all = [...(await judgeNamed(t, row.definition)), ...issues];
    if (all.length > 0) throw invalid(...all);
    const budget = await budgetInWallet(t, row.definition);
    const judging = new AudienceJudge(budget && new Allowance(budget));
    return new DraftPreview(row, size, await AudienceWalk.of(t, row), judging);
  }

  /** Whether a part can be looked up before all earlier ones are judged: not where a pool chooses who speaks. */
  get ahead(): boolean {
    return this.row.definition.senderPoolSid === undefined;
  }

  /** The next of the people; null after the last. */
  next(t: TenantTx): Promise<string[] | null> {
    // As many as a turn of the launch: what is known of more would outlive the young objects that cost nothing to collect.
    return this.walk.next(t, mostInTurn);
  }

  async lookUp(t: TenantTx, contactSids: string[]): Promise<Part> {
    const submit = submissionsOf(t, this.row);
    const people = await this.peopleOf(t, contactSids);
    const submitted = contactSids.map((sid) => submit(sid, people(sid)));
    return { contactSids, cases: await this.judging.load(t, submitted) };
  }

  /** Somebody's words are looked up only where a text is filled with them. */
  private async peopleOf(t: TenantTx, sids: string[]): Promise<(sid: string) => Person> {
    const unknown = (contactSid: string): Person => ({
      contactSid,
      displayName: null,
      locale: null,
      attributes: {},
    });
    if (!namesPeople(this.row.definition)) return unknown;
    const people = await mailedContacts(t, sids, attributesOf(this.row.definition));
    return (sid) => people.get(sid) ?? unknown(sid);
  }

  /** How many were judged. */
  judge({ contactSids, cases }: Part): number {
    for (const [at, prospect] of this.judging.judge(cases).entries()) {
      this.tally.add(contactSids[at]!, prospect);
    }
    return contactSids.length;
  }

  async told(t: TenantTx): Promise<CampaignPreview> {
    const { currency, scale } = await readWallet(t);
    const { sid, version, definition } = this.row;
    const messagesPerMinute = definition.messagesPerMinute ?? null;
    return {
      object: 'campaign_preview',
      campaignSid: sid,
      accountSid: t.accountSid,
      livemode: t.livemode,
      version,
      ...this.tally.told({ currency, scale, messagesPerMinute }),
      createdAt: t.now.toISOString(),
    };
  }
}
