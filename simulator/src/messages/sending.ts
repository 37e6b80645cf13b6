// One message on its way through the gates.
import type { Wire } from '../http/shape.ts';
import type { Person } from '../numbers/people.ts';
import type { Simulation } from '../simulation.ts';
import type { PhoneNumber, Waba } from '../world.ts';

export type Sending = {
  simulation: Simulation;
  waba: Waba;
  number: PhoneNumber;
  person: Person;
  body: Wire;
  type: string;
  endpoint: 'messages' | 'marketing_messages';
};
export type Failure = { code: number; details: string };
