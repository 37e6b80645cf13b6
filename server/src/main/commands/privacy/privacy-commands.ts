// Commands about the data of people.
import type { Command } from 'commander';
import { neededOption, print, text, withCore } from '../command-tools.ts';

export function addPrivacyCommands(program: Command): void {
  const privacy = program.command('privacy').description('the data of people');

  privacy
    .command('verify')
    .description('prove a certificate of erasure or of consents; needs no database and no network')
    .argument('<file>', 'the certificate, as it was downloaded')
    .addOption(
      neededOption('--keys <file>', 'the published keys, as /.well-known/jwks.json shows them', text(4_096)),
    )
    .option('--json', 'print what it says as JSON')
    .action(async (file: string, { keys, json }: { keys: string; json?: boolean }) => {
      const { proveCertificate } = await import('./certificates.ts');
      if (!(await proveCertificate(file, keys, { json: json ?? false }, print))) process.exitCode = 1;
    });

  privacy
    .command('replay')
    .description('after a restore: erase again whom the journal says was erased since the backup was made')
    .option('--dry-run', 'only say whom')
    .action(({ dryRun }: { dryRun?: boolean }) =>
      withCore(async (context, config, { sealer }) => {
        const { replayJournal } = await import('./replay.ts');
        const whole = await replayJournal(context, config, sealer, { dryRun: dryRun ?? false }, print);
        if (!whole) process.exitCode = 1;
      }),
    );
}
