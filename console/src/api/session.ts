// Who is signed in, in which environment, and what they may reach there. Asked for once, until somebody signs in or out.
import { GodwitError, type Me, type OwnSession } from '@godwit/sdk';
import { clientOf, visitor } from './clients.ts';
import { type Environment, otherThan } from './environment.ts';

export type Signed = { session: OwnSession; me: Me };

const known = new Map<Environment, Promise<Signed | null>>();

/** The person in an environment; null where nobody has signed in. */
export function signedInto(environment: Environment): Promise<Signed | null> {
  const asked = known.get(environment) ?? ask(environment);
  known.set(environment, asked);
  asked.catch(() => known.delete(environment));
  return asked;
}

export const forgetSessions = (): void => known.clear();

async function ask(environment: Environment): Promise<Signed | null> {
  const held = (await sessionIn(environment)) ?? (await openedFromOther(environment));
  return held && { session: held, me: await clientOf(environment).identity.getMe() };
}

async function sessionIn(environment: Environment): Promise<OwnSession | null> {
  try {
    const session = await visitor.signIn.getSession({ headers: { 'X-Environment': environment } });
    return session.environment === environment ? session : null;
  } catch (error) {
    if (error instanceof GodwitError && (error.status === 401 || error.status === 403)) return null;
    throw error;
  }
}

/** Whoever has signed in to one environment opens the other beside it, without a second sign-in. */
async function openedFromOther(environment: Environment): Promise<OwnSession | null> {
  const other = otherThan(environment);
  if (!(await sessionIn(other))) return null;
  return clientOf(other).signIn.updateSession({ environment });
}

/** Leaves both environments. */
export async function signOut(environment: Environment): Promise<void> {
  await clientOf(environment).signIn.signOut();
  forgetSessions();
}
