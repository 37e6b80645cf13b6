// ClamAV's daemon over its own protocol: a file is sent in chunks, each with its length before it, and one line answers.
import net from 'node:net';
import { type MediaScanner, ScannerUnavailable, type ScanVerdict } from '../../modules/media/index.ts';

const connectTimeoutMs = 5_000;
// Between two signs of life. A large archive keeps the daemon busy for a while before it answers.
const silenceTimeoutMs = 60_000;
const maxAnswerBytes = 4_096;

export function clamdScanner(url: string): MediaScanner {
  const { protocol, hostname, port, pathname } = new URL(url);
  const target: net.NetConnectOpts =
    protocol === 'unix:'
      ? { path: pathname }
      : { host: hostname.replaceAll(/^\[|\]$/g, ''), port: Number(port) || 3310 };
  return {
    name: 'clamav',
    async scan(open) {
      const answer = await converse(target, async (send) => {
        await send(Buffer.from('zINSTREAM\0'));
        for await (const chunk of open()) await send(framed(chunk));
        await send(framed(Buffer.alloc(0)));
      });
      return readVerdict(answer);
    },
    async check() {
      const answer = await converse(target, (send) => send(Buffer.from('zPING\0')));
      if (answer !== 'PONG') throw new ScannerUnavailable('the scanner does not answer as ClamAV does');
    },
  };
}

function framed(chunk: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(chunk.length);
  return Buffer.concat([length, chunk]);
}

function readVerdict(answer: string): ScanVerdict {
  const found = /^stream: (.+) FOUND$/.exec(answer)?.[1];
  if (found) return { clean: false, signature: found.slice(0, 128) };
  if (answer === 'stream: OK') return { clean: true };
  // Such as "INSTREAM size limit exceeded. ERROR": it has not looked at all of it.
  throw new ScannerUnavailable(`the scanner could not judge the file: ${answer.slice(0, 128)}`);
}

type Send = (bytes: Buffer) => Promise<void>;

/** Says everything, then hears the one answer. The daemon may answer and hang up early, when it has seen enough. */
function converse(target: net.NetConnectOpts, say: (send: Send) => Promise<void>): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(target);
    let heard = Buffer.alloc(0);
    const fail = (reason: string) => {
      reject(new ScannerUnavailable(reason));
      socket.destroy();
    };
    const finish = () => {
      const end = heard.indexOf(0);
      if (end < 0) return fail('the scanner hung up without an answer');
      resolve(heard.toString('utf8', 0, end).trim());
      socket.destroy();
    };
    const send: Send = (bytes) =>
      new Promise((sent) => {
        // A failed write is told by the socket's own events, which end the conversation.
        socket.write(bytes, () => sent());
      });
    socket.setTimeout(connectTimeoutMs, () => fail('the scanner does not answer'));
    socket.on('error', () => fail('no connection to the scanner could be kept'));
    socket.on('close', finish);
    socket.on('data', (chunk) => {
      heard = Buffer.concat([heard, chunk]);
      if (heard.length > maxAnswerBytes) return fail('the scanner says too much');
      if (heard.includes(0)) finish();
    });
    socket.once('connect', () => {
      socket.setTimeout(silenceTimeoutMs);
      // The file itself could not be read: nobody can say that it is clean.
      say(send).catch((error) => {
        reject(error);
        socket.destroy();
      });
    });
  });
}
