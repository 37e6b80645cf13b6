// Commands that act as a customer of the simulated provider.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { readConfig } from '../settings.ts';
import { neededOption, oneOf, print } from './command-tools.ts';

export function addSimulateCommands(program: Command): void {
  const simulate = program
    .command('simulate')
    .description('act as a customer of the simulated provider, or look at it');

  const addressOption = () =>
    new Option('--url <url>', 'where the simulator answers, if not on this machine beside the API');

  simulate
    .command('inbound')
    .description('let a customer write to one of your numbers')
    .addOption(neededOption('--from <number>', "the customer's phone number", phoneNumber))
    .addOption(neededOption('--to <number>', 'your phone number, or its provider id', phoneNumber))
    .option('--text <text>', 'what they write; for media, the caption')
    .option('--type <type>', 'text, image, video, audio, document, sticker, location, contacts, …', 'text')
    .option(
      '--content <json>',
      'the object of the type as the provider sends it; the rest is filled in',
      jsonObject,
    )
    .option('--name <name>', "the customer's profile name, remembered")
    .option('--reply-to <wamid…>', 'the message they answer, react to, edit or take back')
    .addOption(addressOption())
    .action(async ({ url, ...inbound }: import('./simulate.ts').Inbound & { url?: string }) => {
      const { simulateInbound, simulatorAddress } = await import('./simulate.ts');
      print(await simulateInbound(simulatorAddress(readConfig(), url), inbound));
    });

  simulate
    .command('preference')
    .description('let a customer stop or resume marketing messages in their app')
    .argument('<value>', 'stop or resume', oneOf('stop', 'resume'))
    .addOption(neededOption('--from <number>', "the customer's phone number", phoneNumber))
    .addOption(neededOption('--to <number>', 'your phone number, or its provider id', phoneNumber))
    .addOption(addressOption())
    .action(async (value: string, { url, from, to }: { url?: string; from: string; to: string }) => {
      const { simulatePreference, simulatorAddress } = await import('./simulate.ts');
      print(await simulatePreference(simulatorAddress(readConfig(), url), { from, to, value }));
    });

  simulate
    .command('status')
    .description('what the simulator accepted, refused and called back, and which numbers it knows')
    .addOption(addressOption())
    .action(async ({ url }: { url?: string }) => {
      const { simulatorAddress, simulatorStatus } = await import('./simulate.ts');
      print(await simulatorStatus(simulatorAddress(readConfig(), url)));
    });

  simulate
    .command('settings')
    .description(
      'show how the simulator behaves, or change it: delays, limits, callbacks doubled, late or lost',
    )
    .argument('[name=value...]', 'such as loseCallbacks=0.1 or marketingCap=0', settingsOf)
    .addOption(addressOption())
    .action(async (change: object, { url }: { url?: string }) => {
      const { simulatorAddress, simulatorSettings } = await import('./simulate.ts');
      print(await simulatorSettings(simulatorAddress(readConfig(), url), change));
    });

  simulate
    .command('secret')
    .description('the app id, app secret and verify token of the sandbox, for a receiver of your own')
    .option('--json', 'as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { sandboxSecrets } = await import('../process/simulator-secrets.ts');
      print(await sandboxSecrets(readConfig(), json === true));
    });

  simulate
    .command('messages')
    .description('the messages it accepted')
    .option('--opaque <reference>', 'only those handed over with this reference, such as a message SID')
    .addOption(addressOption())
    .action(async ({ url, opaque }: { url?: string; opaque?: string }) => {
      const { simulatedMessages, simulatorAddress } = await import('./simulate.ts');
      print(await simulatedMessages(simulatorAddress(readConfig(), url), opaque));
    });
}

function phoneNumber(text: string): string {
  const digits = text.replaceAll(/[+\s().-]/g, '');
  if (!/^\d{7,17}$/.test(digits))
    throw new InvalidArgumentError('It must be a phone number such as +4915112345678.');
  return digits;
}

/** Gathers the arguments one by one. */
function settingsOf(text: string, before: Record<string, unknown> = {}): Record<string, unknown> {
  const [, name, value] = /^(\w+)=(true|false|\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (name === undefined)
    throw new InvalidArgumentError(
      'It must be a name and a value, such as loseCallbacks=0.1 or pairLimit=false.',
    );
  return { ...before, [name]: JSON.parse(value!) };
}

function jsonObject(text: string): unknown {
  try {
    const value = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // said below, as for every other text that is no object
  }
  throw new InvalidArgumentError('It must be a JSON object.');
}
