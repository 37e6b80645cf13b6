// Commands for those who write a receiver: events forwarded to their machine, and events to order.
import { type Command, InvalidArgumentError } from 'commander';
import { readConfig } from '../settings.ts';
import { neededOption, print, wholeNumber } from './command-tools.ts';

type ApiOptions = { key: string; url?: string };
type ListenOptions = ApiOptions & { forwardTo: string; events: string; fromSequence?: number };

export function addWebhookCommands(program: Command): void {
  const keyOption = () => neededOption('--key <key>', 'a sandbox API key', (text) => text).env('GODWIT_KEY');

  program
    .command('listen')
    .description('forward the events of a sandbox to a program on this machine, signed')
    .addOption(
      neededOption('--forward-to <url>', 'where to post them, such as http://localhost:3000/hook', httpUrl),
    )
    .option('--events <filter>', 'only these: an exact name, or prefix.*', '*')
    .option('--from-sequence <n>', 'replay from this event on', wholeNumber)
    .addOption(keyOption())
    .option('--url <url>', 'the service; default: the one on this machine', httpUrl)
    .action(async (options: ListenOptions) => {
      const { listen } = await import('./listen.ts');
      const stopping = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
      const { forwardTo, events, fromSequence = null } = options;
      const { dataDir } = readConfig();
      const { signal } = stopping;
      await listen({ ...accessOf(options), forwardTo, events, fromSequence, dataDir, print, signal });
    });

  program
    .command('trigger')
    .description('emit a sample event in the sandbox')
    .argument('<type>', 'the event type, such as message.delivered')
    .addOption(keyOption())
    .option('--url <url>', 'the service; default: the one on this machine', httpUrl)
    .action(async (type: string, options: ApiOptions) => {
      const { trigger } = await import('./trigger.ts');
      print(await trigger(accessOf(options), type));
    });
}

function accessOf({ key, url }: ApiOptions): { baseUrl: string; key: string } {
  const config = readConfig();
  return { key, baseUrl: url ?? config.publicUrl ?? `http://localhost:${config.port}` };
}

function httpUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError('It must be a URL such as http://localhost:3000/hook.');
  return text.replace(/\/+$/, '');
}
