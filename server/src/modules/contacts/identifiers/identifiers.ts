// How people are told apart: the one way each kind of identifier is written, so that equal is equal.
import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js';
import type { ErrorDetail } from '../../../platform/errors/errors.ts';
import type { GivenIdentifier, Identifier, IdentifierType } from '../schema.ts';
import { withoutMexicanOne } from './number-forms.ts';

export type Judged<T> = { value: T; issue?: never } | { issue: string; value?: never };

const phoneIssue = 'must be a phone number that can exist, such as +33612345678';
const nationalIssue = 'has no country: begin with + and the country code, or give defaultCountry';
const usernameIssue =
  'must be 3 to 35 letters, digits, dots and underscores, with a letter and no dot first, last or doubled';
const webAddressIssue = 'must not begin with www or end like a web address, as no username does';
const bsuidIssue = 'must be 1 to 256 visible ASCII characters';

// People put a space, a dash or brackets after the two zeros as they do anywhere else in a number.
const internationalPrefix = /^\(?00\)?[\s.\-/\u2010-\u2015]*(?=\(?[1-9])/;

/** A country by its two letters, in either case. */
export function readCountry(given: string): Judged<CountryCode> {
  const country = given.toUpperCase();
  return isSupportedCountry(country)
    ? { value: country }
    : { issue: 'is not a country with telephone numbers' };
}

export type Phone = { number: string; country: string | null };

/** E.164 and whose it is, or why not. Only lengths and country codes are judged: new ranges open faster than lists learn. */
export function readPhone(given: string, country?: CountryCode): Judged<Phone> {
  const text = given.trim().replace(internationalPrefix, '+');
  if (!/^\+?[\d\s().\-/\u2010-\u2015\u00a0]+$/.test(text)) return { issue: phoneIssue };
  if (!text.startsWith('+') && !country) return { issue: nationalIssue };
  const parsed = parsePhoneNumberFromString(withoutMexicanOne(text), {
    defaultCountry: country,
    extract: false,
  });
  if (!parsed?.isPossible() || parsed.ext) return { issue: phoneIssue };
  return { value: { number: parsed.number, country: parsed.country ?? null } };
}

/** E.164, or why not. */
export function normalizePhone(given: string, country?: CountryCode): Judged<string> {
  const { value, issue } = readPhone(given, country);
  return value ? { value: value.number } : { issue: issue! };
}

/**
 * A person's number as the provider knows it. It may be one that no numbering plan has any more, and is believed: a person
 * writes from it.
 */
export function readWaId(waId: string): Identifier | null {
  if (!/^[1-9]\d{5,14}$/.test(waId)) return null;
  const value = normalizePhone(`+${waId}`).value ?? `+${waId}`;
  return { identifierType: 'phone_e164', value, scopeRef: null };
}

/** What the provider calls a person. */
export type PersonNames = { waId?: string | null; bsuid?: string | null; username?: string | null };

/**
 * A person's identifiers in the order in which they decide who it is: the number, then the id, which is one per portfolio.
 * A username is learned and decides nothing, since people give theirs up and others take it. What nobody could store tells
 * of nobody.
 */
export function personIdentifiers(
  { waId, bsuid, username }: PersonNames,
  portfolioId: string | null,
): Identifier[] {
  const given = [
    bsuid && portfolioId ? { identifierType: 'bsuid' as const, value: bsuid, scopeRef: portfolioId } : null,
    username ? { identifierType: 'username' as const, value: username, scopeRef: null } : null,
  ];
  const others = given.flatMap((identifier) => {
    if (!identifier) return [];
    const judged = judgeIdentifier(identifier, { value: 'value', scopeRef: 'scopeRef' });
    return judged.details.length === 0 ? [judged.identifier] : [];
  });
  const phone = waId ? readWaId(waId) : null;
  return phone ? [phone, ...others] : others;
}

/** In lower case and without the @ people write before it. */
export function normalizeUsername(given: string): Judged<string> {
  const text = given.trim().replace(/^@/, '').toLowerCase();
  const good = /^[a-z0-9._]{3,35}$/.test(text) && /[a-z]/.test(text) && !/^\.|\.$|\.\./.test(text);
  if (!good) return { issue: usernameIssue };
  return text.startsWith('www') || endsLikeDomain(text) ? { issue: webAddressIssue } : { value: text };
}

const domainEndings = new Set('com org net int edu gov mil info biz eu uk html htm'.split(' '));

/** What follows the last dot is the end of a web address, or of a page on one. */
function endsLikeDomain(username: string): boolean {
  const [ending, ...before] = username.split('.').reverse();
  return before.length > 0 && (domainEndings.has(ending!) || isSupportedCountry(ending!.toUpperCase()));
}

function normalizeBsuid(given: string): Judged<string> {
  return /^[!-~]{1,256}$/.test(given) ? { value: given } : { issue: bsuidIssue };
}

function normalizeValue(type: IdentifierType, given: string, country?: CountryCode): Judged<string> {
  if (type === 'phone_e164') return normalizePhone(given, country);
  return type === 'username' ? normalizeUsername(given) : normalizeBsuid(given);
}

/** The names under which the parts of an identifier came in, for errors. */
type Places = { value: string; scopeRef: string };

export function judgeIdentifier(
  given: GivenIdentifier,
  places: Places,
  country?: CountryCode,
): { identifier: Identifier; details: ErrorDetail[] } {
  const { identifierType } = given;
  const scopeRef = given.scopeRef ?? null;
  const judged = normalizeValue(identifierType, given.value, country);
  const details: ErrorDetail[] = [];
  if (judged.issue !== undefined) details.push({ path: places.value, issue: judged.issue });
  const scoped = identifierType === 'bsuid';
  if (scoped && !scopeRef?.trim()) details.push({ path: places.scopeRef, issue: 'is required for a bsuid' });
  if (!scoped && scopeRef !== null) {
    details.push({ path: places.scopeRef, issue: 'belongs to a bsuid only' });
  }
  return { identifier: { identifierType, value: judged.value ?? given.value, scopeRef }, details };
}

const maxGiven = 50;

/** Every identifier in its one form, repeated ones once, in the order given; or every reason why not. */
export function judgeIdentifiers(
  given: GivenIdentifier[],
  defaultCountry?: string,
): { identifiers: Identifier[]; details: ErrorDetail[] } {
  if (given.length === 0 || given.length > maxGiven) {
    const issue = given.length === 0 ? 'must have at least 1 item' : `must have at most ${maxGiven} items`;
    return { identifiers: [], details: [{ path: 'identifiers', issue }] };
  }
  const read = defaultCountry === undefined ? undefined : readCountry(defaultCountry);
  if (read?.issue !== undefined)
    return { identifiers: [], details: [{ path: 'defaultCountry', issue: read.issue }] };
  const country = read?.value;
  const judged = given.map((identifier, i) => {
    const at = `identifiers[${i}]`;
    return judgeIdentifier(identifier, { value: `${at}.value`, scopeRef: `${at}.scopeRef` }, country);
  });
  const distinct = new Map(judged.map(({ identifier }) => [identifierKey(identifier), identifier]));
  return { identifiers: [...distinct.values()], details: judged.flatMap(({ details }) => details) };
}

/** Two identifiers are the same when their keys are. */
export const identifierKey = ({ identifierType, value, scopeRef }: Identifier) =>
  `${identifierType} ${scopeRef ?? ''} ${value}`;

export type IdentifierQuery = { identifier?: string; identifierType?: IdentifierType; scopeRef?: string };
export type IdentifierFilter = {
  values: string[];
  identifierType: IdentifierType | null;
  scopeRef: string | null;
};

/** What to look for when an identifier is asked after; without a type it may be of any. */
export function identifierFilter(
  query: IdentifierQuery,
): IdentifierFilter | { details: ErrorDetail[] } | null {
  const { identifier, identifierType = null, scopeRef = null } = query;
  if (identifier === undefined) {
    const names = (['identifierType', 'scopeRef'] as const).filter((name) => query[name] !== undefined);
    if (names.length === 0) return null;
    return { details: names.map((path) => ({ path, issue: 'needs identifier beside it' })) };
  }
  // An unescaped + arrives as a space.
  const text = identifier.replace(/^ (?=\d)/, '+');
  if (identifierType) {
    const judged = normalizeValue(identifierType, text);
    if (judged.issue !== undefined) return { details: [{ path: 'identifier', issue: judged.issue }] };
    return { values: [judged.value], identifierType, scopeRef };
  }
  const forms = [normalizePhone(text).value, normalizeUsername(text).value, identifier];
  const values = [...new Set(forms.filter((form) => form !== undefined))];
  return { values, identifierType, scopeRef };
}
