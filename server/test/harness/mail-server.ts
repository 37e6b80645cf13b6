// A mail server that keeps what it is given, and a reader of mail that is not ours.
import type { AddressInfo } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import type { Lifetime } from './lifetime.ts';

export type Received = { from: string; to: string[]; raw: Buffer };

type Options = {
  /** Asked about each mail once it is there whole: refuses it with the reason, or takes it. */
  refuse?(mail: Received): Error | null;
  /** What it says to addressees it does not want, such as '5.1.1 No such user'; null for those it wants. */
  unknown?(address: string): string | null;
};

export async function startMailServer(
  lifetime: Lifetime,
  { refuse = () => null, unknown = () => null }: Options = {},
) {
  const received: Received[] = [];
  const refused: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo({ address }, _session, done) {
      const says = unknown(address);
      done(says === null ? null : Object.assign(new Error(says), { responseCode: 550 }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom ? mailFrom.address : '';
        const mail = { from, to: rcptTo.map(({ address }) => address), raw: Buffer.concat(chunks) };
        const refusal = refuse(mail);
        (refusal ? refused : received).push(mail);
        done(refusal);
      });
    },
  });
  // A client that was killed breaks its connection off.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  lifetime.after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, received, refused };
}

export type ReadMail = ParsedMail & {
  /** A header as it stands in the mail, unfolded; null where it does not stand exactly once. */
  header(name: string): string | null;
};

/** What a mail program makes of a mail. */
export async function readMail(raw: Buffer | string): Promise<ReadMail> {
  const mail = await simpleParser(raw);
  return {
    ...mail,
    header(name) {
      const lines = mail.headerLines.filter(({ key }) => key === name.toLowerCase());
      const [only] = lines;
      return lines.length === 1
        ? only!.line
            .slice(name.length + 1)
            .replaceAll(/\r?\n/g, '')
            .trim()
        : null;
    },
  };
}
