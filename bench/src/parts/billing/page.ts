// A page of charges, of ten million and of ten thousand in as many months: it must cost the same.
import type { Context, Row } from '../../part.ts';
import { requestText } from '../../request-text.ts';
import { measureInTurns, type Scenario } from '../../rounds.ts';
import { fillMonth, monthBefore } from './data.ts';
import { openService, type Service } from './service.ts';

export const pageSize = Number(process.env.BENCH_CHARGES_LISTED ?? 200_000);
const fewRows = 10_000;
const months = 10;
const mostOfFew = 1.3;

export async function measurePages(context: Context): Promise<Row[]> {
  const services: Service[] = [];
  try {
    const scenarios: Scenario[][] = [];
    for (const rows of [fewRows, pageSize]) {
      const service = await openService(context);
      services.push(service);
      scenarios.push(await scenariosOf(context, service, rows));
    }
    const [few, many] = scenarios as [Scenario[], Scenario[]];
    const compared = many.map((scenario, i) => ({
      ...scenario,
      comparedWith: few[i]!.name,
      minimum: few[i]!.name,
      mostOfMinimum: mostOfFew,
    }));
    return await measureInTurns(
      context,
      few.flatMap((scenario, i) => [scenario, compared[i]!]),
    );
  } finally {
    for (const service of services) await service.close();
  }
}

async function scenariosOf(context: Context, service: Service, rows: number): Promise<Scenario[]> {
  const holder = await service.newHolder();
  const oldest = monthBefore(new Date(), months);
  context.say(`${rows.toLocaleString('en')} charges in ${months} months`);
  for (let back = months; back >= 1; back -= 1) {
    const month = monthBefore(new Date(), back);
    await fillMonth(service.client, { ...holder, count: Math.ceil(rows / months), month });
  }
  const of = `of ${rows.toLocaleString('en')}`;
  const asking = (name: string, query: () => string): Scenario => ({
    name: `${name} ${of}`,
    server: service,
    expect: 200,
    next: () =>
      requestText('GET', `/v1/accounts/${holder.accountSid}/billing/charges?limit=20${query()}`, {
        authorization: `Bearer ${holder.key}`,
      }),
  });
  const anyTime = () =>
    new Date(oldest.getTime() + Math.random() * (Date.now() - oldest.getTime())).toISOString();
  let turn = 0;
  return [
    asking('newest charges', () => ''),
    asking('charges before a time', () => `&to=${anyTime()}`),
    asking('charges of a sender', () => {
      turn += 1;
      return `&senderSid=WA01${String(turn % 50).padStart(24, '0')}`;
    }),
    asking('charges of a campaign', () => `&campaignSid=CP01${'0'.repeat(24)}`),
  ];
}
