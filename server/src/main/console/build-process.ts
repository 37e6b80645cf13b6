// A process of its own that builds the console when it is stale; `--patiently` leaves the machine to everybody else meanwhile.
import { constants, setPriority } from 'node:os';
import { buildIfStale } from './build.ts';

if (process.argv.includes('--patiently')) setPriority(constants.priority.PRIORITY_LOW);
// Whoever wanted the build is gone.
const leave = () => process.exit(1);
process.on('disconnect', leave);

await buildIfStale();
process.off('disconnect', leave);
process.disconnect?.();
