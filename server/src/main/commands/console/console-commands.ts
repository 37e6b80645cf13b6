import type { Command } from 'commander';
import { print } from '../command-tools.ts';

export function addConsoleCommands(program: Command): void {
  const console = program.command('console').description('the console that people use in their browser');
  console
    .command('build')
    .description('build it now, so that a start, in an image or on a read-only disk, finds it built')
    .action(async () => {
      const { buildIfStale } = await import('../../console/build.ts');
      const { folder, wasBuilt } = await buildIfStale();
      print(wasBuilt ? `Built ${folder}.` : `Nothing to do: ${folder} is current.`);
    });
}
