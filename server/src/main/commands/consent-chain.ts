// Proves the consent ledger for the command line, from the database or from an export, and writes such exports.
import { open } from 'node:fs/promises';
import { type ConsentReport, verifyConsentFile, verifyConsents } from '../../modules/consent/index.ts';
import type { Database } from '../../platform/db/database.ts';

type Print = (text: string) => void;

export async function proveLedger(
  database: Database,
  { account, exportTo }: { account?: string; exportTo?: string },
  print: Print,
): Promise<boolean> {
  const file = exportTo === undefined ? null : await open(exportTo, 'w');
  try {
    const write = file ? async (line: string) => void (await file.write(`${line}\n`)) : undefined;
    return await tell(verifyConsents(database, account, write), print);
  } finally {
    await file?.close();
  }
}

export function proveExport(file: string, print: Print): Promise<boolean> {
  return tell(verifyConsentFile(file), print);
}

/** Writes the chains of an account; whether they hold is for the proof to say. */
export async function exportLedger(database: Database, account: string, print: Print): Promise<void> {
  for await (const _report of verifyConsents(database, account, print));
}

/** Names every chain with its head, which can be held against one noted elsewhere, and the first link that is broken. */
async function tell(reports: AsyncIterable<ConsentReport>, print: Print): Promise<boolean> {
  let links = 0;
  let broken = 0;
  for await (const report of reports) {
    links += report.links;
    const chain = `${report.accountSid} ${report.livemode ? 'live' : 'sandbox'}`;
    if (report.broken) {
      broken += 1;
      print(`${chain}: broken at ${report.broken.sequence}: ${report.broken.reason}`);
    } else {
      print(`${chain}: ${report.links} records, head ${report.head ?? 'none'}`);
      for (const { sequence, hash } of report.erasures)
        print(`${chain}: words were forgotten by audit entry ${sequence}, hash ${hash.toString('hex')}`);
    }
  }
  print(broken === 0 ? `Every chain holds (${links} records).` : `${broken} chains are broken.`);
  return broken === 0;
}
