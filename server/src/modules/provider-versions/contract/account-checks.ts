// The business account: what it may send, who hears of it, what it cost.
import { type Check, given, holds, known, reading, refusedWith, same, writing } from './check.ts';

/** An id of the provider's form that is nobody's. */
export const nobody = '999999999999999';
const dayMs = 86_400_000;

const onboarding = [
  'INELIGIBLE_ON_BEHALF_OF_WABA',
  'INELIGIBLE_INACTIVE_OR_RESTRICTED',
  'INELIGIBLE_COUNTRY_NOT_SUPPORTED',
  'INELIGIBLE_USING_WHATSAPP_BUSINESS_APP',
  'ELIGIBLE',
  'PENDING_VALID_PAYMENT_METHOD',
  'PENDING_INTERNAL_SETUP',
  'ONBOARDED',
];

const lastWeek = (now: Date) => ({ from: new Date(now.getTime() - 7 * dayMs), to: now });

export const accountChecks: Check[] = [
  reading('account is read', async ({ provider, connection, wabaId }) => {
    given(await provider.getWaba(connection, wabaId));
  }),
  reading('account tells how far it came with marketing messages', async (stage) => {
    const { marketingMessages } = given(await stage.provider.getWaba(stage.connection, stage.wabaId));
    known(onboarding, [marketingMessages]);
  }),
  reading('account that nobody has is refused', async ({ provider, connection }) => {
    refusedWith(await provider.getWaba(connection, nobody), 'WABA_NOT_CONNECTED', 'NOT_FOUND');
  }),
  reading('account is refused to a token nobody issued', async ({ provider, connection, wabaId }) => {
    const stranger = { ...connection, accessToken: 'not-a-token' };
    refusedWith(await provider.getWaba(stranger, wabaId), 'PROVIDER_TOKEN_INVALID');
  }),
  reading('catalogs are listed, or may not be looked at', async ({ provider, connection, wabaId }) => {
    const answered = await provider.listCatalogs(connection, wabaId);
    if (!answered.ok) refusedWith(answered, 'PROVIDER_TOKEN_INVALID', 'WABA_NOT_CONNECTED');
  }),
  reading('subscriptions are read', async ({ provider, connection, wabaId }) => {
    given(await provider.listSubscribedApps(connection, wabaId));
  }),
  reading('subscriptions of an account that nobody has are refused', async ({ provider, connection }) => {
    refusedWith(await provider.listSubscribedApps(connection, nobody), 'WABA_NOT_CONNECTED', 'NOT_FOUND');
  }),
  reading('prices are counted by day', async ({ provider, connection, wabaId, now }) => {
    const { counts } = given(await provider.pricingAnalytics(connection, wabaId, lastWeek(now)));
    const wrong = counts.find(({ day }) => !/^\d{4}-\d{2}-\d{2}$/.test(day));
    holds(wrong === undefined, 'a day such as 2026-10-01', wrong?.day);
  }),
  reading('prices of an account that nobody has are refused', async ({ provider, connection, now }) => {
    const answered = await provider.pricingAnalytics(connection, nobody, lastWeek(now));
    refusedWith(answered, 'WABA_NOT_CONNECTED', 'NOT_FOUND');
  }),

  writing('subscription is made and ended', async ({ provider, connection, wabaId, app }) => {
    given(await provider.subscribe(connection, wabaId));
    const { apps } = given(await provider.listSubscribedApps(connection, wabaId));
    holds(
      apps.some(({ appId }) => appId === app?.appId),
      `the app ${app?.appId}`,
      apps,
    );
    given(await provider.unsubscribe(connection, wabaId));
    same(given(await provider.listSubscribedApps(connection, wabaId)), { apps: [] });
  }),
  writing('subscription that is made twice is made', async ({ provider, connection, wabaId }) => {
    given(await provider.subscribe(connection, wabaId));
    given(await provider.subscribe(connection, wabaId));
    given(await provider.unsubscribe(connection, wabaId));
  }),
];
