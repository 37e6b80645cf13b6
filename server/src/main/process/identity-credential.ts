// `godwit identity credential set`: stores a secret that an identity provider names by its `credentialRef`. It comes by
// standard input, so that it stands in no list of processes and no shell history.
import { text } from 'node:stream/consumers';
import { isCredentialRef, setCredential } from '../../modules/identity/index.ts';
import { ConfigError } from '../../platform/config.ts';
import { asOperator, type CommandContext } from './keys.ts';

const maxLength = 8_192;

export async function storeCredential(
  context: CommandContext,
  accountSid: string,
  ref: string,
): Promise<void> {
  if (!isCredentialRef(ref)) {
    throw new ConfigError('The ref must be letters, digits, dots and dashes, at most 128.');
  }
  // What a shell or an editor adds at the end is not part of the secret.
  const secret = (await text(process.stdin)).replace(/\r?\n$/, '');
  if (secret === '' || secret.length > maxLength || /[\0\r\n]/.test(secret)) {
    throw new ConfigError('Give the secret on standard input: one line, and not an empty one.');
  }
  await context.database.write({ accountSid, livemode: true }, asOperator(context, true), (t) =>
    setCredential(t, ref, secret),
  );
}
