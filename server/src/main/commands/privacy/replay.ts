// Forgets again whom a restored database remembers.
import { join } from 'node:path';
import { createMediaStore } from '../../../adapters/storage/media-store.ts';
import { accountExists } from '../../../modules/accounts/index.ts';
import { broughtBack, type JournalEntry, readJournal, replayEntry } from '../../../modules/privacy/index.ts';
import type { Sealer } from '../../../platform/sealing.ts';
import { createSpool } from '../../../platform/spool.ts';
import { asOperator, type CommandContext } from '../../process/keys.ts';
import type { Config } from '../../settings.ts';

type Print = (line: string) => void;
type Means = { context: CommandContext; print: Print; dryRun: boolean };

/** False where an entry could not be read. */
export async function replayJournal(
  context: CommandContext,
  config: Config,
  sealer: Sealer,
  { dryRun }: { dryRun: boolean },
  print: Print,
): Promise<boolean> {
  const mediaStore = createMediaStore(config, createSpool(join(config.dataDir, 'spool')));
  let [entries, people, unread] = [0, 0, 0];
  for await (const { name, entry } of readJournal({ ports: { mediaStore }, sealer })) {
    entries += 1;
    if (entry) people += await replayOne({ context, print, dryRun }, entry);
    else {
      unread += 1;
      print(`${name}: cannot be opened; it was changed, or written under a master key that is not here`);
    }
  }
  const of = `of ${entries} ${entries === 1 ? 'entry' : 'entries'}`;
  if (people === 0) print(`Nobody ${of} was brought back.`);
  else print(`${people} ${of} ${dryRun ? 'would be erased again' : 'are being erased again'}.`);
  return unread === 0;
}

/** How many were brought back by it; an account that is not here has nobody. */
async function replayOne({ context, print, dryRun }: Means, entry: JournalEntry): Promise<number> {
  const { accountSid, livemode, requestSid } = entry;
  const { database } = context;
  if (!(await database.system((s) => accountExists(s, accountSid)))) return 0;
  const tenant = { accountSid, livemode };
  if (dryRun) {
    const back = await database.read(tenant, asOperator(context, livemode), (t) => broughtBack(t, entry));
    if (back.length > 0) print(`${requestSid}: ${back.join(', ')} would be erased again`);
    return back.length > 0 ? 1 : 0;
  }
  const done = await database.write(tenant, asOperator(context, livemode), (t) => replayEntry(t, entry));
  for (const sid of done.requestSids) print(`${requestSid}: erased again by ${sid}`);
  for (const sid of done.underWay) print(`${requestSid}: is being erased by ${sid}`);
  if (done.optOutLost)
    print(`${requestSid}: what was forbidden is kept under another key and cannot be taken back`);
  return done.requestSids.length + done.underWay.length > 0 ? 1 : 0;
}
