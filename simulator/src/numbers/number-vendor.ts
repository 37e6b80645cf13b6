// A simulated carrier that sells numbers, takes them over from others, and hands out what is sent to them. An order has the name its
// customer gives it: asked for again, it is the same order. What it is sent is what the provider sends here.
import { ControlProblem } from '../control/control-problem.ts';
import type { Simulation } from '../simulation.ts';
import type { NumberOrder } from '../world.ts';
import { verificationCode } from './adding-numbers.ts';

type Hardship = {
  suffix: string;
  means: string;
  refusal?: string;
  readyAfterMs?: number;
  losesCodes?: true;
};

const wrong = (message: string) => new ControlProblem(message);

const dayMs = 86_400_000;

export const vendorNumbers: Hardship[] = [
  {
    suffix: '9401',
    means: 'is not to be had: nobody sells it, and the carrier it is with does not give it up',
    refusal: 'The carrier does not give the number up.',
  },
  { suffix: '9402', means: 'takes a day to be had', readyAfterMs: dayMs },
  { suffix: '9403', means: 'gets no code that is sent to it', losesCodes: true },
];

const hardshipOf = (digits: string) => vendorNumbers.find(({ suffix }) => digits.endsWith(suffix));

const readyAfterMs = { PURCHASE: 0, PORT: 3_000 };

/** Country codes it has numbers of; elsewhere it has those of nobody, +1 555. */
const prefixes: Record<string, string> = { FR: '33980', DE: '4932', GB: '4456', BE: '3278', ES: '3451' };

const digitsOf = (number: unknown) => {
  const digits = String(number ?? '').replace(/\D/g, '');
  if (!/^[1-9]\d{6,14}$/.test(digits)) throw wrong('"number" must be a phone number.');
  return digits;
};

export function searchNumbers({ world, random }: Simulation, query: Record<string, string>) {
  const wished = query.wish ? digitsOf(query.wish) : null;
  const isFree = (digits: string) =>
    ![...world.numberOrders.values()].some(({ number, released }) => number === digits && !released) &&
    ![...world.numbers.values()].some(({ number }) => number === digits);
  const offered = wished !== null && !hardshipOf(wished)?.refusal && isFree(wished) ? [wished] : [];
  const prefix = prefixes[query.country ?? ''] ?? '1555';
  while (offered.length < 3) {
    const digits =
      prefix +
      String(Math.floor(random.fraction() * 1e9))
        .padStart(9, '0')
        .slice(0, 11 - prefix.length);
    if (isFree(digits) && !hardshipOf(digits) && !offered.includes(digits)) offered.push(digits);
  }
  return { numbers: offered.map((digits) => `+${digits}`) };
}

type Asked = { reference?: unknown; number?: unknown };

export function orderNumber(
  simulation: Simulation,
  kind: NumberOrder['kind'],
  { reference, number }: Asked,
): ReturnType<typeof view> {
  const { world, timeline } = simulation;
  if (typeof reference !== 'string' || reference === '') throw wrong('"reference" must name the order.');
  const known = world.numberOrders.get(reference);
  if (known) return view(simulation, known);
  const digits = digitsOf(number);
  const hardship = hardshipOf(digits);
  const nowMs = timeline.nowMs();
  const order: NumberOrder = {
    reference,
    kind,
    number: digits,
    orderedMs: nowMs,
    readyMs: nowMs + (hardship?.readyAfterMs ?? readyAfterMs[kind]),
    refusal: hardship?.refusal ?? null,
    released: false,
  };
  world.numberOrders.set(reference, order);
  world.changed();
  return view(simulation, order);
}

function view({ timeline }: Simulation, { reference, number, readyMs, refusal, released }: NumberOrder) {
  const refused = released ? 'The number was given back.' : refusal;
  const state = refused !== null ? 'REFUSED' : timeline.nowMs() >= readyMs ? 'READY' : 'PENDING';
  return { reference, state, number: `+${number}`, reason: refused };
}

export function readOrder(
  simulation: Simulation,
  reference: string,
): { order: ReturnType<typeof view> | null } {
  const order = simulation.world.numberOrders.get(reference);
  return { order: order ? view(simulation, order) : null };
}

/** The newest code the provider sent to the number. */
export function readCode({ world }: Simulation, reference: string): { code: string | null } {
  const order = world.numberOrders.get(reference);
  if (!order || order.released || hardshipOf(order.number)?.losesCodes) return { code: null };
  const wasSent = [...world.numbers.values()].some(
    ({ number, codeSentMs }) => number === order.number && codeSentMs !== null,
  );
  return { code: wasSent ? verificationCode : null };
}

export function releaseNumber({ world }: Simulation, reference: string): { success: true } {
  const order = world.numberOrders.get(reference);
  if (order) order.released = true;
  world.changed();
  return { success: true };
}
