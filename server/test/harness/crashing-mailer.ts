// A worker that kills itself as soon as the mail server has said yes to a mail, before anything of it is written down. Run as a
// child process, for tests of what the next worker makes of that.

import { connectPorts } from '../../src/main/process/ports.ts';
import { startService } from '../../src/main/process/service.ts';
import { readConfig } from '../../src/main/settings.ts';
import type { Mail } from '../../src/modules/mails/index.ts';
import { silentLog } from '../../src/platform/observability/logging.ts';
import { createSealer, parseMasterKeys } from '../../src/platform/sealing.ts';

const [databaseUrl = ''] = process.argv.slice(2);

const config = readConfig();
const { mailer } = connectPorts(config, createSealer(parseMasterKeys(config.masterKey!)));
const send = async (mail: Mail) => {
  await mailer.send(mail);
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => {}); // nothing follows
};
await startService({
  config,
  databaseUrl,
  role: 'worker',
  log: silentLog,
  ports: { mailer: { ...mailer, send } },
});
