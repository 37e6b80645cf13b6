// What a mail about notifications says: the words of each of them, where they belong, and how to get no more of their kind.
import type { NotificationCategory } from '../../../platform/notification-categories.ts';
import type { NotificationLocale, NotificationWords } from '../../../platform/notifications.ts';
import { type Composed, layOutMail } from '../../mails/index.ts';
import { categoryNames } from '../category-names.ts';

export type Notice = { words: NotificationWords; count: number };

export type Letter = {
  locale: NotificationLocale;
  name: string | null;
  organization: string;
  accountSid: string;
  livemode: boolean;
  notices: [Notice, ...Notice[]];
  categories: readonly NotificationCategory[];
  unsubscribeUrl: string;
};

/** Of more than these only the number is told: the rest is read where it is kept. */
const mostTold = 20;

const texts = {
  en: {
    more: (count: number) => ` (and ${count} more)`,
    times: (count: number) => ` This happened ${count} times.`,
    untold: (count: number) => `And ${count} more, which you find among your notifications.`,
    place: (organization: string, accountSid: string, sandbox: boolean) =>
      `This is about ${organization}, account ${accountSid}${sandbox ? ', in the sandbox' : ''}.`,
    end: (about: string) => `Get no more mail on ${about}`,
  },
  fr: {
    more: (count: number) => (count === 1 ? ' (et 1 autre)' : ` (et ${count} autres)`),
    times: (count: number) => ` Cela s'est produit ${count} fois.`,
    untold: (count: number) => `Et ${count} de plus, que vous trouverez parmi vos notifications.`,
    place: (organization: string, accountSid: string, sandbox: boolean) =>
      `Ceci concerne ${organization}, compte ${accountSid}${sandbox ? ', dans le bac à sable (sandbox)' : ''}.`,
    end: (about: string) => `Ne plus recevoir d'e-mails sur ${about}`,
  },
};

export function composeLetter(letter: Letter): Composed {
  const { locale, name, organization, accountSid, livemode, notices, categories, unsubscribeUrl } = letter;
  const say = texts[locale];
  const [first, ...others] = notices;
  const told = notices.slice(0, mostTold);
  const untold = notices.length - told.length;
  const body = ({ words, count }: Notice) => words.body + (count > 1 ? say.times(count) : '');
  // The subject of a single one is its title, so that it need not stand there twice.
  const lines = others.length === 0 ? [body(first)] : told.flatMap((one) => [one.words.title, body(one)]);
  const subject = `${livemode ? '' : '[Sandbox] '}${first.words.title}${others.length > 0 ? say.more(others.length) : ''}`;
  return layOutMail(
    locale,
    name,
    {
      subject,
      lines: [
        ...lines,
        ...(untold > 0 ? [say.untold(untold)] : []),
        say.place(organization, accountSid, !livemode),
      ],
      action: say.end(categoryNames(locale, categories)),
    },
    unsubscribeUrl,
  );
}
