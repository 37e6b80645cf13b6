// What no schema can say about an application, told with all else that is wrong.
import { isSupportedCountry } from 'libphonenumber-js';
import type { ErrorDetail } from '../../../platform/errors/errors.ts';
import type { Part } from '../../../platform/http/operations/operation.ts';
import { readPhone } from '../../contacts/index.ts';
import type { NewApplication } from '../schema.ts';

export function issuesOfApplication(body: Part<NewApplication>): ErrorDetail[] {
  return [
    ...issuesOfAcceptance(body),
    ...issuesOfCountry(body),
    ...issuesOfNumber(body),
    ...issuesOfWebsite(body),
    ...issuesOfEmail(body),
  ];
}

export const issuesOfAcceptance = ({ acceptQuote }: { acceptQuote?: boolean }): ErrorDetail[] =>
  acceptQuote === false ? [{ path: 'acceptQuote', issue: 'must be true: nothing is done before it is' }] : [];

const issuesOfCountry = ({ country }: Part<NewApplication>): ErrorDetail[] =>
  country === undefined || isSupportedCountry(country)
    ? []
    : [{ path: 'country', issue: 'is not a country with telephone numbers' }];

function issuesOfNumber({ numberSource, requestedNumber, country }: Part<NewApplication>): ErrorDetail[] {
  const path = 'requestedNumber';
  if (requestedNumber === undefined)
    return numberSource === 'PORT' ? [{ path, issue: 'is required: it is the number to be taken over' }] : [];
  return country === undefined ? [] : issuesOfNumberIn(path, requestedNumber, country);
}

/** Of a number that has to be one of a country. */
export function issuesOfNumberIn(path: string, number: string, country: string): ErrorDetail[] {
  const { value, issue } = readPhone(number);
  if (!value) return [{ path, issue: issue! }];
  // Countries share codes: a number that could be of several is believed to be of the one that is named.
  if (value.country !== null && value.country !== country)
    return [{ path, issue: `is a number of ${value.country}, not of ${country}` }];
  return [];
}

function issuesOfWebsite({ website }: Part<NewApplication>): ErrorDetail[] {
  if (website === undefined) return [];
  const sound = URL.canParse(website) && /^https?:$/.test(new URL(website).protocol);
  return sound ? [] : [{ path: 'website', issue: 'must be an address such as https://depot.example' }];
}

const issuesOfEmail = ({ representativeEmail }: Part<NewApplication>): ErrorDetail[] =>
  representativeEmail === undefined || /^[^\s@]+@[^\s@]+$/.test(representativeEmail)
    ? []
    : [{ path: 'representativeEmail', issue: 'must be an e-mail address' }];
