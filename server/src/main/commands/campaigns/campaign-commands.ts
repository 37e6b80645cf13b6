// Commands for campaigns: how far they are, what came of one, and the hand on the brake.
import type { Command } from 'commander';
import { type AccountOptions, accountSid, inAccount, neededOption, print, sidOf } from '../command-tools.ts';
import type { Move } from './campaigns.ts';

type OneCampaign = AccountOptions & { campaign: string };

export function addCampaignCommands(program: Command): void {
  const campaigns = program.command('campaigns').description('the same message to many, and how far it is');
  const command = (name: string, description: string) =>
    campaigns
      .command(name)
      .description(description)
      .addOption(neededOption('--account <AC…>', 'the account', accountSid))
      .option('--live', 'of the live environment instead of the sandbox')
      .option('--json', 'print it as JSON');
  const ofOne = (name: string, description: string) =>
    command(name, description).addOption(
      neededOption('--campaign <CP…>', 'the campaign', sidOf('CP', 'a campaign')),
    );

  command('list', 'list the newest campaigns of an account: state, progress, and what one paused for').action(
    (options: AccountOptions) =>
      inAccount(options, async (context, tenant) => {
        const { printCampaigns } = await import('./campaigns.ts');
        await printCampaigns(context, tenant, options, print);
      }),
  );

  ofOne('show', 'say what came of a campaign so far, with refusals and failures by code').action(
    (options: OneCampaign) =>
      inAccount(options, async (context, tenant) => {
        const { printResults } = await import('./campaigns.ts');
        await printResults(context, tenant, options, print);
      }),
  );

  const moving = (move: Move, description: string) =>
    ofOne(move, description).action((options: OneCampaign) =>
      inAccount(options, async (context, tenant) => {
        const { moveByHand } = await import('./campaigns.ts');
        await moveByHand(context, tenant, { ...options, move }, print);
      }),
    );
  moving('pause', 'stop a campaign that runs: when this has ended, nobody else is written to');
  moving('resume', 'let a paused campaign go on');
  moving('cancel', 'end a campaign for good; messages that were accepted go their way');
}
