// The two-step PIN of a number, and those who guess it.
import { GraphError } from '../errors.ts';
import type { PhoneNumber } from '../world.ts';

const mostGuesses = 5;
const lockMs = 12 * 3_600_000;
const waitMs = 10_000;

const inWords = (ms: number) =>
  ms > 60_000 ? `${Math.ceil(ms / 60_000)} minutes` : `${Math.ceil(ms / 1000)} seconds`;

/**
 * Throws for a PIN that does not match. After each wrong one every try, the right one too, waits ten seconds longer than
 * before; five too many and none is taken for twelve hours.
 */
export function checkPin(number: PhoneNumber, pin: string, nowMs: number): void {
  if (number.pin === null) return;
  const leftMs = number.pinBlockedUntilMs - nowMs;
  if (leftMs > 0 && number.wrongPins > mostGuesses) throw tooMany(leftMs);
  if (leftMs > 0) throw new GraphError(133009, `Wait ${inWords(leftMs)} before the next try.`);
  if (number.wrongPins > mostGuesses) number.wrongPins = 0;
  if (number.pin === pin) return;
  number.wrongPins += 1;
  const locked = number.wrongPins > mostGuesses;
  const blockedMs = locked ? lockMs : number.wrongPins * waitMs;
  number.pinBlockedUntilMs = nowMs + blockedMs;
  throw locked ? tooMany(blockedMs) : new GraphError(133005, 'The PIN does not match.');
}

const tooMany = (leftMs: number) =>
  new GraphError(133008, `Too many wrong PINs. Try again in ${inWords(leftMs)}.`);

export function setPin(number: PhoneNumber, pin: string): void {
  number.pin = pin;
  number.wrongPins = 0;
  number.pinBlockedUntilMs = 0;
}
