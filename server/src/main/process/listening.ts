// Why a port could not be opened, in the words of the variables that choose it.
import { ConfigError } from '../../platform/config.ts';

export type Wished = { host: string; port: number /** The variable that sets the port. */; variable: string };

const issues: Record<string, (wished: Wished) => string> = {
  EADDRINUSE: ({ port, variable }) => `${variable} ${port} is in use. Set ${variable} to another, or to 0.`,
  EACCES: ({ port, variable }) => `${variable} ${port} may not be opened by this user. Set ${variable}.`,
  EADDRNOTAVAIL: ({ host }) => `HOST ${host} is not an address of this machine.`,
  ENOTFOUND: ({ host }) => `HOST ${host} is not an address of this machine.`,
};

export function explainListen(error: NodeJS.ErrnoException, wished: Wished): Error {
  const explain = issues[error.code ?? ''];
  return explain ? new ConfigError(explain(wished)) : error;
}
