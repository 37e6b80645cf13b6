// The language somebody reads, and how it writes numbers and times.
import type { Money } from '@godwit/sdk';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { en, type Words } from './en.ts';
import { fr } from './fr.ts';

export const languages = { en, fr };
export type Language = keyof typeof languages;

const isLanguage = (word: string | null): word is Language => word !== null && Object.hasOwn(languages, word);

const kept = 'godwit.language';

function chosen(): Language {
  const wishes = [localStorage.getItem(kept), ...navigator.languages.map((tag) => tag.slice(0, 2))];
  return wishes.find(isLanguage) ?? 'en';
}

/** Exact, however many decimals there are: the amount never becomes a number. */
function writtenMoney(language: Language, { amountMinor, currency, scale }: Money): string {
  const digits = amountMinor.replace('-', '').padStart(scale + 1, '0');
  const sign = amountMinor.startsWith('-') ? '-' : '';
  const whole = digits.slice(0, digits.length - scale);
  const decimal = `${sign}${whole}${scale > 0 ? `.${digits.slice(-scale)}` : ''}`;
  const format = new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    maximumFractionDigits: scale,
  });
  return format.format(decimal as `${number}`);
}

type Spoken = { language: Language; words: Words; speak(language: Language): void };
const Speaking = createContext<Spoken | null>(null);

export function SpeakingProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(chosen);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const spoken = useMemo(() => {
    const speak = (wanted: Language) => {
      localStorage.setItem(kept, wanted);
      setLanguage(wanted);
    };
    return { language, words: languages[language], speak };
  }, [language]);
  return <Speaking value={spoken}>{children}</Speaking>;
}

export const useLanguage = (): Spoken => useContext(Speaking)!;
export const useWords = (): Words => useLanguage().words;

function formatsOf(language: Language) {
  const number = new Intl.NumberFormat(language);
  const time = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  const precise = new Intl.DateTimeFormat(language, { dateStyle: 'short', timeStyle: 'medium' });
  const hour = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' });
  return {
    number: (value: number) => number.format(value),
    time: (instant: string | Date) => time.format(new Date(instant)),
    precise: (instant: string | Date) => precise.format(new Date(instant)),
    money: (amount: Money) => writtenMoney(language, amount),
    hour: (instant: string | Date) => hour.format(new Date(instant)),
  };
}

// Made once: every part of a page that shows a time would make four of its own.
const madeFormats = new Map<Language, ReturnType<typeof formatsOf>>();

/** Numbers, times and amounts as the language writes them. */
export function useFormats() {
  const { language } = useLanguage();
  const made = madeFormats.get(language) ?? formatsOf(language);
  madeFormats.set(language, made);
  return made;
}
