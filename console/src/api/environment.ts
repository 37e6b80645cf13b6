// Sandbox and live stand side by side: each has its own session, its own clients and its own answers.
export type Environment = 'sandbox' | 'live';

export const environments: readonly Environment[] = ['sandbox', 'live'];

export const isEnvironment = (word: string): word is Environment => word === 'sandbox' || word === 'live';

export const otherThan = (environment: Environment): Environment =>
  environment === 'live' ? 'sandbox' : 'live';
