// Judges the parameters of a call and gives them their types. What the service does not know is refused by its name.
import type { Form } from './form.ts';
import { invalid, missing, unknown } from './problems.ts';

type Value = Form | string | undefined;
export type Param<T> = { read(value: Value, at: string): T };
export type Read<P> = P extends Param<infer T> ? T : never;

const inside = (at: string, name: string) => (at === '' ? name : `${at}[${name}]`);

type Fields<S extends Record<string, Param<unknown>>> = { [K in keyof S]: Read<S[K]> };

/** These parameters and no others. */
export function params<S extends Record<string, Param<unknown>>>(shape: S): Param<Fields<S>> {
  return {
    read(value, at) {
      if (value === undefined) throw missing(at);
      if (typeof value === 'string') throw invalid('Invalid object', at);
      for (const name of Object.keys(value)) if (!Object.hasOwn(shape, name)) throw unknown(inside(at, name));
      const entries = Object.entries(shape).map(([name, param]) => [
        name,
        param.read(value[name], inside(at, name)),
      ]);
      return Object.fromEntries(entries);
    },
  };
}

export const maybe = <T>(param: Param<T>): Param<T | undefined> => ({
  read: (value, at) => (value === undefined ? undefined : param.read(value, at)),
});

const word = (value: Value, at: string): string => {
  if (value === undefined) throw missing(at);
  if (typeof value !== 'string') throw invalid('Invalid string', at);
  if (value === '') {
    throw invalid(
      `You passed an empty string for '${at}'. We assume empty values are an attempt to unset a parameter; however '${at}' cannot be unset. You should remove '${at}' from your request or supply a non-empty value.`,
      at,
      'parameter_invalid_empty',
    );
  }
  return value;
};

export const text = (most = 5_000): Param<string> => ({
  read(value, at) {
    const given = word(value, at);
    if (given.length > most)
      throw invalid(`Invalid string: must be at most ${most} characters`, at, 'parameter_invalid_string');
    return given;
  },
});

export const url: Param<string> = {
  read(value, at) {
    const given = word(value, at);
    if (!/^https?:\/\//i.test(given) || !URL.canParse(given.replaceAll(/[{}]/g, '')))
      throw invalid('Not a valid URL', at, 'url_invalid');
    return given;
  },
};

export const whole = (least: number, most = Number.MAX_SAFE_INTEGER): Param<number> => ({
  read(value, at) {
    const given = word(value, at);
    if (!/^-?\d{1,15}$/.test(given))
      throw invalid(`Invalid integer: ${given.slice(0, 60)}`, at, 'parameter_invalid_integer');
    const number = Number(given);
    const side = number < least ? `greater than or equal to ${least}` : `less than or equal to ${most}`;
    if (number < least || number > most)
      throw invalid(
        `Invalid integer: this value must be ${side} (it currently is '${number}').`,
        at,
        'parameter_invalid_integer',
      );
    return number;
  },
});

export const flag: Param<boolean> = {
  read(value, at) {
    const given = word(value, at);
    if (given !== 'true' && given !== 'false') throw invalid(`Invalid boolean: ${given.slice(0, 60)}`, at);
    return given === 'true';
  },
};

export const words = <const W extends string>(...allowed: W[]): Param<W> => ({
  read(value, at) {
    const given = word(value, at);
    const found = allowed.find((one) => one === given);
    if (found === undefined) throw invalid(`Invalid ${at}: must be one of ${allowed.join(', ')}`, at);
    return found;
  },
});

export const list = <T>(item: Param<T>, most = 100): Param<T[]> => ({
  read(value, at) {
    if (value === undefined) throw missing(at);
    if (typeof value === 'string') throw invalid('Invalid array', at);
    const entries = Object.entries(value);
    if (entries.some(([key], i) => key !== String(i))) throw invalid('Invalid array', at);
    if (entries.length > most) throw invalid(`Array must have at most ${most} elements`, at);
    return entries.map(([key, each]) => item.read(each, inside(at, key)));
  },
});

const mostMetadata = 50;

export const metadata: Param<Record<string, string>> = {
  read(value, at) {
    // An empty string unsets all of it, which of something new is nothing.
    if (value === undefined || value === '') return {};
    if (typeof value === 'string') throw invalid('Invalid object', at);
    const entries = Object.entries(value);
    if (entries.length > mostMetadata)
      throw invalid(
        `Metadata can have at most ${mostMetadata} keys; you tried to set ${entries.length}.`,
        at,
      );
    for (const [key, each] of entries) {
      if (typeof each !== 'string') throw invalid('Metadata values must be strings', inside(at, key));
      if (key.length > 40)
        throw invalid('Metadata keys must be under 40 characters', inside(at, key.slice(0, 60)));
      if (each.length > 500) throw invalid('Metadata values can have up to 500 characters', inside(at, key));
    }
    return Object.fromEntries(entries.filter(([, each]) => each !== '')) as Record<string, string>;
  },
};

/** A currency that cards are charged in here: those with two decimal places that Godwit bills in, and a few more. */
export const currency: Param<string> = {
  read(value, at) {
    const given = word(value, at).toLowerCase();
    if (!currencies.includes(given))
      throw invalid(
        `Invalid currency: ${given.slice(0, 10)}. Stripe currently supports these currencies: ${currencies.join(', ')}`,
        at,
      );
    return given;
  },
};
const currencies = ['usd', 'eur', 'gbp', 'aud', 'cad', 'chf', 'inr', 'brl', 'mxn', 'sgd'];

const least = 50;
const most = 99_999_999;

/** What can be charged: half a unit at the least, eight digits at the most. */
export function checkAmount(amount: number, currencyCode: string, param: string, whose: string): void {
  const money = (minor: number) => `${(minor / 100).toFixed(2)} ${currencyCode}`;
  if (amount < least) throw invalid(`${whose} must be at least ${money(least)}`, param, 'amount_too_small');
  if (amount > most) throw invalid(`${whose} must be no more than ${money(most)}`, param, 'amount_too_large');
}

/** A moment, or a span of them. */
export const created = maybe<{ gt?: number; gte?: number; lt?: number; lte?: number }>({
  read(value, at) {
    if (typeof value === 'string') {
      const moment = whole(0).read(value, at);
      return { gte: moment, lte: moment };
    }
    const moment = maybe(whole(0));
    return params({ gt: moment, gte: moment, lt: moment, lte: moment }).read(value, at);
  },
});

export const expand = maybe(list(text(200), 20));
