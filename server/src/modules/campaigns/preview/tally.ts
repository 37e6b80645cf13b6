// What a preview counts. It keeps counts and a few samples of each kind and never the people, however many there are.
import { money, toWire } from '../../../platform/money.ts';
import { type Prospect, Refusal } from '../../messages/index.ts';
import { dispositionOf } from '../run/dispositions.ts';
import type { CampaignPreview } from './schema.ts';

const mostSamples = 10;

const becomes = { final: 'REFUSED', waits: 'WAITS', rests: 'WAITS', pauses: 'PAUSES' } as const;

type RefusalCount = CampaignPreview['refusals'][number];
type Priced = { market: string; category: string; recipients: number; minor: bigint };
type Speaking = { recipients: number; perSecond: number };

export class PreviewTally {
  private admitted = 0;
  private refused = 0;
  private readonly refusals = new Map<string, RefusalCount>();
  private readonly prices = new Map<string, Priced>();
  private readonly senders = new Map<string, Speaking>();

  get judged(): number {
    return this.admitted + this.refused;
  }

  add(contactSid: string, prospect: Prospect): void {
    if (prospect.refusal) this.refuse(contactSid, prospect.refusal);
    else this.admit(prospect);
  }

  private refuse(contactSid: string, refusal: NonNullable<Prospect['refusal']>): void {
    this.refused += 1;
    const gate = refusal instanceof Refusal ? refusal.gate : null;
    const key = `${gate} ${refusal.code}`;
    const count = this.refusals.get(key) ?? {
      gate,
      code: refusal.code,
      message: refusal.message,
      atLaunch: becomes[dispositionOf(refusal)],
      recipients: 0,
      samples: [],
    };
    count.recipients += 1;
    if (count.samples.length < mostSamples) {
      const evidence = refusal instanceof Refusal ? refusal.evidence : {};
      const { details } = refusal.facts;
      count.samples.push({ contactSid, evidence: { ...evidence, ...(details && { details }) } });
    }
    this.refusals.set(key, count);
  }

  private admit({ quote, category, sender }: Prospect): void {
    this.admitted += 1;
    const { market, totalMinor } = quote!;
    const key = `${market} ${category}`;
    const priced = this.prices.get(key) ?? { market, category: category!, recipients: 0, minor: 0n };
    priced.recipients += 1;
    priced.minor += totalMinor;
    this.prices.set(key, priced);
    const { sid, throughputPerSecond: perSecond } = sender!;
    const speaking = this.senders.get(sid) ?? { recipients: 0, perSecond };
    speaking.recipients += 1;
    this.senders.set(sid, speaking);
  }

  /** Everything it counted; how long that takes follows from the pace of each sender and that of the campaign. */
  told({
    currency,
    scale,
    messagesPerMinute,
  }: {
    currency: string;
    scale: number;
    messagesPerMinute: number | null;
  }) {
    const cost = (minor: bigint) => toWire(money(minor, currency, scale));
    const prices = [...this.prices.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    const senders = [...this.senders].map(([senderSid, { recipients, perSecond }]) => ({
      senderSid,
      recipients,
      messagesPerSecond: perSecond,
      seconds: Math.ceil(recipients / perSecond),
    }));
    const paced = messagesPerMinute === null ? 0 : Math.ceil((this.admitted * 60) / messagesPerMinute);
    return {
      recipients: this.judged,
      admitted: this.admitted,
      refused: this.refused,
      refusals: [...this.refusals.values()].sort((a, b) => b.recipients - a.recipients),
      costs: prices.map(({ minor, ...price }) => ({ ...price, cost: cost(minor) })),
      cost: cost(prices.reduce((sum, { minor }) => sum + minor, 0n)),
      senders: senders.sort((a, b) => (a.senderSid < b.senderSid ? -1 : 1)),
      seconds: Math.max(paced, ...senders.map(({ seconds }) => seconds), 0),
    };
  }
}

const keyOf = ({ market, category }: Priced) => `${market} ${category}`;
