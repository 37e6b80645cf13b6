// What `godwit` runs.
import { runCommandLine } from './command-line.ts';

// The process ends by itself once everything is written, so that a slow reader loses nothing. One that has read enough,
// such as `head`, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const code = await runCommandLine(process.argv.slice(2), {
  writeOut: (text) => process.stdout.write(text),
  writeErr: (text) => process.stderr.write(text),
});
if (code !== 0) process.exitCode = code;
