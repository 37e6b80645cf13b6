// What the provider says of a portfolio's limits, in callbacks and in its lists.
import type { TenantTx } from '../../platform/db/database.ts';
import { emit } from '../../platform/events.ts';
import type { PhoneNumberUpdate, ProviderPhoneNumber, Routed } from '../provider/index.ts';
import { saidAtOf } from '../provider/index.ts';
import { portfolioEvents } from './events.ts';
import type { WabaHooks } from './hooks.ts';
import { type LimitWord, readMessagingLimit, updateLimits } from './portfolios.ts';
import { getPortfolio } from './resource.ts';
import { requireWaba } from './wabas.ts';

/** Applies a word about limits and tells when it changed them. */
export async function applyLimits(
  t: TenantTx,
  hooks: WabaHooks,
  portfolioId: string,
  { announced = true, ...word }: LimitWord & { announced?: boolean | undefined },
): Promise<void> {
  const changed = await updateLimits(t, portfolioId, word);
  if (changed && announced) {
    emit(t, portfolioEvents.updated, await getPortfolio(t, hooks, portfolioId), word.saidAt);
  }
}

type Saying = { saidAt?: Date; announced?: boolean | undefined };

/** Every number tells the limit of the whole portfolio. */
export async function applyListedLimit(
  t: TenantTx,
  hooks: WabaHooks,
  wabaSid: string,
  numbers: readonly ProviderPhoneNumber[],
  { saidAt = t.now, announced }: Saying = {},
): Promise<void> {
  const [messagingLimit] = numbers.flatMap((number) => readMessagingLimit(number.messagingLimit) ?? []);
  if (!messagingLimit) return;
  const { portfolioId } = await requireWaba(t, wabaSid);
  await applyLimits(t, hooks, portfolioId, { messagingLimit, phoneNumberCap: null, saidAt, announced });
}

/** Callbacks about the quality of a number tell the limit too. */
export const applyNumberLimits =
  (hooks: WabaHooks) =>
  async (t: TenantTx, updates: readonly Routed<PhoneNumberUpdate>[]): Promise<void> => {
    for (const update of updates) {
      if (update.kind !== 'quality' || update.wabaSid === null) continue;
      const messagingLimit = readMessagingLimit(update.messagingLimit);
      if (!messagingLimit) continue;
      const { portfolioId } = await requireWaba(t, update.wabaSid);
      const saidAt = saidAtOf(t, update.occurredAt);
      await applyLimits(t, hooks, portfolioId, { messagingLimit, phoneNumberCap: null, saidAt });
    }
  };
