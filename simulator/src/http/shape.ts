// Judges a wire body field by field, strictly: a field the provider does not know is refused rather than ignored, so that
// a mistake shows in the sandbox and not in front of a customer.
//
// Which code says what: 100 for an unknown field, a wrong JSON type or a word that is none of those allowed; 131008 for
// something missing; 131009 for a value outside its limits.
import { GraphError } from '../errors.ts';

// biome-ignore lint/suspicious/noExplicitAny: what a body holds is only known once it has been judged
export type Wire = any;
export type Shape = { judge(value: unknown, at: string): void; optional?: boolean };

export const unexpected = (details: string) => new GraphError(100, details);
export const missing = (at: string) => new GraphError(131008, `The parameter ${at} is required.`);
export const invalid = (details: string) => new GraphError(131009, details);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object of these fields and no others. */
export function closed(fields: Record<string, Shape>, also?: (value: Wire, at: string) => void): Shape {
  const required = Object.keys(fields).filter((name) => !fields[name]!.optional);
  return {
    judge(value, at) {
      if (!isObject(value)) throw unexpected(`Param ${at || 'body'} must be a JSON object.`);
      const dot = at === '' ? '' : `${at}.`;
      for (const name of Object.keys(value)) {
        const shape = Object.hasOwn(fields, name) ? fields[name] : undefined;
        if (!shape) throw unexpected(`Unexpected key "${name}" on param "${at || 'body'}".`);
        shape.judge(value[name], dot + name);
      }
      for (const name of required) if (!Object.hasOwn(value, name)) throw missing(dot + name);
      also?.(value, at);
    },
  };
}

export const maybe = (shape: Shape): Shape => ({ judge: shape.judge, optional: true });

/** Null says as much as leaving it out. */
export const maybeNull = (shape: Shape): Shape => ({
  judge(value, at) {
    if (value !== null) shape.judge(value, at);
  },
  optional: true,
});

export function text(least: number, most: number, form?: RegExp): Shape {
  return {
    judge(value, at) {
      if (typeof value !== 'string') throw unexpected(`Param ${at} must be a string.`);
      if (value.length < least) throw value === '' ? missing(at) : invalid(`${at} is too short.`);
      if (value.length > most) throw invalid(`${at} may have at most ${most} characters.`);
      if (form && !form.test(value)) throw invalid(`${at} is not valid.`);
    },
  };
}

export const words = (...allowed: string[]): Shape => ({
  judge(value, at) {
    if (!allowed.includes(value as string))
      throw unexpected(
        `Param ${at} must be one of {${allowed.join(', ')}} - got "${String(value).slice(0, 60)}".`,
      );
  },
});

/** Upper and lower case alike, as the provider's own samples mix them. */
export const anyCaseWords = (...allowed: string[]): Shape => {
  const shape = words(...allowed);
  return { judge: (value, at) => shape.judge(typeof value === 'string' ? value.toLowerCase() : value, at) };
};

export const flag: Shape = {
  judge(value, at) {
    if (typeof value !== 'boolean') throw unexpected(`Param ${at} must be a boolean.`);
  },
};

export const whole = (least: number, most: number): Shape => ({
  judge(value, at) {
    if (typeof value !== 'number' || !Number.isInteger(value))
      throw unexpected(`Param ${at} must be a whole number.`);
    if (value < least || value > most) throw invalid(`${at} must be from ${least} to ${most}.`);
  },
});

/** A number, or a string of one. */
export const numeric = (least: number, most: number): Shape => ({
  judge(value, at) {
    const given = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof given !== 'number' || Number.isNaN(given)) throw unexpected(`Param ${at} must be a number.`);
    if (given < least || given > most) throw invalid(`${at} must be from ${least} to ${most}.`);
  },
});

export const list = (item: Shape, least: number, most: number): Shape => ({
  judge(value, at) {
    if (!Array.isArray(value)) throw unexpected(`Param ${at} must be an array.`);
    if (value.length < least || value.length > most)
      throw invalid(`${at} must have ${least} to ${most} entries, not ${value.length}.`);
    for (const [i, entry] of value.entries()) item.judge(entry, `${at}[${i}]`);
  },
});

export const anyObject: Shape = {
  judge(value, at) {
    if (!isObject(value)) throw unexpected(`Param ${at} must be a JSON object.`);
  },
};

export const url = (most = 2000): Shape => ({
  judge(value, at) {
    text(1, most).judge(value, at);
    const address = value as string;
    if (!/^https?:\/\//.test(address) || !URL.canParse(address))
      throw invalid(`${at} must be an http(s) URL.`);
  },
});

/** Chooses the shape by one of the value's words. */
export const byWord = (name: string, shapes: Record<string, Shape>, fold = false): Shape => ({
  judge(value, at) {
    if (!isObject(value)) throw unexpected(`Param ${at} must be a JSON object.`);
    const path = at === '' ? name : `${at}.${name}`;
    if (!Object.hasOwn(value, name)) throw missing(path);
    const word = fold && typeof value[name] === 'string' ? value[name].toLowerCase() : value[name];
    words(...Object.keys(shapes)).judge(word, path);
    shapes[word as string]!.judge(value, at);
  },
});

/** The value of JSON text, as forms and queries carry lists and objects. */
export function fromJson(text: string, at: string): Wire {
  try {
    return JSON.parse(text);
  } catch {
    throw unexpected(`Param ${at} is not valid JSON.`);
  }
}

export function exactlyOne(value: Wire, at: string, ...names: string[]): void {
  const given = names.filter((name) => Object.hasOwn(value, name));
  if (given.length === 0) throw missing(`${at}.${names.join(' or ')}`);
  if (given.length > 1) throw invalid(`${at} takes exactly one of ${names.join(' and ')}.`);
}

export function unique(values: unknown[], at: string): void {
  if (new Set(values).size < values.length) throw invalid(`${at} must be unique within the message.`);
}
