// A process that is asked to stop and cannot: something it holds stays open.
import { createServer } from 'node:net';
import { createLog } from '../../platform/observability/logging.ts';
import { stopWhenAsked } from './stopping.ts';

const stop = () => new Promise<void>(() => {});
const log = createLog('error');
stopWhenAsked(stop, log, { limitMs: 1 });
createServer().listen(0, '127.0.0.1', () => process.kill(process.pid, 'SIGTERM'));
