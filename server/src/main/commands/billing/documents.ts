// Proves the documents about money for the command line.
import { verifyDocuments } from '../../../modules/billing-documents/index.ts';
import type { Database } from '../../../platform/db/database.ts';

/** Names the first fault of every chain that has one. */
export async function proveDocuments(
  database: Database,
  account: string | undefined,
  print: (text: string) => void,
): Promise<boolean> {
  let documents = 0;
  let undrawn = 0;
  let broken = 0;
  for await (const report of verifyDocuments(database, account)) {
    documents += report.documents;
    undrawn += report.undrawn;
    if (!report.broken) continue;
    broken += 1;
    const environment = report.livemode ? 'live' : 'sandbox';
    print(
      `${report.accountSid} ${environment}: broken at ${report.broken.sequence}: ${report.broken.reason}`,
    );
  }
  const waiting = undrawn === 0 ? '' : `, ${undrawn} still without a PDF`;
  if (broken === 0) print(`Every document is as it was issued (${documents} documents${waiting}).`);
  else print(broken === 1 ? '1 chain is broken.' : `${broken} chains are broken.`);
  return broken === 0;
}
