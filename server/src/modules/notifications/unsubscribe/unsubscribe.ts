// What the link in a mail shows, and what pressing its button does. Scanners open every link in a mail, so opening changes nothing.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { htmlAnswer, languageOf, wantsHtml } from '../../../platform/http/operations/html-answer.ts';
import type { Answer, Open } from '../../../platform/http/operations/operation.ts';
import type { NotificationLocale } from '../../../platform/notifications.ts';
import { systemPrincipal } from '../../../platform/principal.ts';
import { endMail, preferencesFor } from '../preferences.ts';
import { recipientsAmong } from '../recipients.ts';
import { endedPage, endPage, unknownPage } from './page.ts';
import type { Unsubscribe } from './schema.ts';
import { findSubscription, type Subscription } from './tokens.ts';

type Header = (name: string) => string | undefined;

/** What is on and what is off now. */
export function showSubscription(call: Open, token: string, header: Header) {
  return answer(call, token, header, { ended: false });
}

/** Ends the mail. Whoever asks again finds it ended. */
export function endSubscription(call: Open, token: string, header: Header) {
  return answer(call, token, header, { ended: true });
}

async function answer(
  call: Open,
  token: string,
  header: Header,
  { ended }: { ended: boolean },
): Promise<Unsubscribe | Answer<string>> {
  const isBrowser = wantsHtml(header('accept'));
  const language = languageOf(header('accept-language'));
  const subscription = await call.database.system((s) => findSubscription(s, token));
  if (!subscription) {
    if (isBrowser) return htmlAnswer(404, unknownPage(language));
    throw new ApiError('NOT_FOUND');
  }
  const { now, requestId, log, database } = call;
  const { livemode } = subscription;
  const as = { principal: systemPrincipal('notifications.unsubscribe', livemode), now, requestId, log };
  const { state, locale } = ended
    ? await database.write(subscription, as, (t) => end(t, subscription))
    : await database.read(subscription, as, (t) => look(t, subscription));
  if (!isBrowser) return state;
  const show = state.categories.some(({ email }) => email) ? endPage : endedPage;
  const categories = state.categories.map(({ category }) => category);
  return htmlAnswer(200, show(locale ?? language, categories));
}

async function end(t: TenantTx, subscription: Subscription) {
  for (const category of subscription.categories) await endMail(t, subscription.userSid, category);
  return look(t, subscription);
}

async function look(t: TenantTx, { userSid, categories }: Subscription) {
  const state: Unsubscribe = { object: 'notification_unsubscribe', categories: [] };
  let locale: NotificationLocale | null = null;
  for (const category of categories) {
    const wanted = (await preferencesFor(t, [userSid], category))(userSid);
    state.categories.push({ category, email: wanted.email });
    // Who left reads in the language of the browser.
    const [person] = await recipientsAmong(t, [userSid], category);
    locale = person?.locale ?? wanted.locale;
  }
  return { state, locale };
}
