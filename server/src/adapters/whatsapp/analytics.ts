// What the provider itself counted and charged, and what became of a message according to it: what our records are compared with.
import type { PricingCount, Provider, ProviderHistoryEvent } from '../../modules/provider/index.ts';
import type { Client } from './client.ts';
import { fieldsOf, idOf, instantOf, listOf, numberOf, textOf } from './reading.ts';

const dimensions = 'PRICING_CATEGORY,PRICING_TYPE,COUNTRY,PHONE';
const seconds = (at: Date) => Math.floor(at.getTime() / 1000);

export const analyticsCalls = (client: Client): Pick<Provider, 'pricingAnalytics' | 'messageHistory'> => ({
  pricingAnalytics: (connection, wabaId, { from, to }) =>
    client.call(connection, {
      method: 'GET',
      path: wabaId,
      query: {
        fields: `pricing_analytics.start(${seconds(from)}).end(${seconds(to)}).granularity(DAILY).dimensions(${dimensions})`,
      },
      doing: { purpose: 'manage' },
      whenLost: 'again',
      timeoutMs: 60_000,
      read: ({ id, pricing_analytics: told }) => (idOf(id) === null ? undefined : countsIn(told)),
    }),
  messageHistory: (connection, phoneNumberId, providerMessageId) =>
    client.call(connection, {
      method: 'GET',
      path: `${phoneNumberId}/message_history`,
      query: {
        message_id: providerMessageId,
        fields: 'id,message_id,events{delivery_status,timestamp,webhook_update_state}',
        limit: '1',
      },
      doing: { purpose: 'manage' },
      whenLost: 'again',
      read: ({ data }) => (Array.isArray(data) ? { events: listOf(data).flatMap(eventsIn) } : undefined),
    }),
});

/** A figure that cannot be read makes the whole answer worthless: a gap would look like a difference. */
function countsIn(told: unknown): { counts: PricingCount[] } | undefined {
  // Where nothing was charged the field is left out.
  if (told === undefined) return { counts: [] };
  const points = listOf(fieldsOf(told).data).flatMap((entry) => listOf(fieldsOf(entry).data_points));
  const counts = points.map(countIn);
  return counts.every((count) => count !== null) ? { counts } : undefined;
}

function countIn(value: unknown): PricingCount | null {
  const point = fieldsOf(value);
  const [start, volume] = [instantOf(point.start), numberOf(point.volume)];
  const [category, type] = [textOf(point.pricing_category), textOf(point.pricing_type)];
  if (!start || volume === null || !Number.isSafeInteger(volume) || volume < 0 || !category || !type)
    return null;
  return {
    day: start.toISOString().slice(0, 10),
    phoneNumber: textOf(point.phone_number)?.replaceAll(/\D/g, '') ?? null,
    country: textOf(point.country),
    category: category.toLowerCase(),
    type: type.toLowerCase(),
    volume,
    cost: numberOf(point.cost),
  };
}

const eventsIn = (value: unknown): ProviderHistoryEvent[] =>
  listOf(fieldsOf(fieldsOf(value).events).data).flatMap((event) => {
    const { delivery_status, timestamp } = fieldsOf(event);
    const status = textOf(delivery_status);
    return status === null ? [] : [{ status: status.toLowerCase(), occurredAt: instantOf(timestamp) }];
  });
