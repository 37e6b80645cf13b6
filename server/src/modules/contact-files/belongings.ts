// Files of imports and exports are sealed and hold many people: whoever is in one cannot be taken out of it, so all of them go.
import { type Store, untilFew } from '../../platform/belongings.ts';
import { sql } from '../../platform/db/query.ts';
import { expireFiles } from '../media/index.ts';
import { blankInputs, endedInputs, unfinishedAmong } from '../operations/index.ts';
import { contactExport } from './export-contacts.ts';
import { contactImport, contactImportCheck } from './import-contacts.ts';
import type { ImportInput } from './schema.ts';

// Each may have thousands of parts.
const filesAtOnce = 20;

export const contactFileBelongings: Store[] = [
  {
    name: 'contact_files',
    async erase(t, _person, { limit }) {
      const page = { after: null, limit: Math.min(limit, filesAtOnce) };
      const here = sql`account_sid = ${t.accountSid} and livemode = ${t.livemode}`;
      const files = await t.many<{ operationSid: string }>(sql`
        select distinct operation_sid as "operationSid" from contact_files where ${here}`);
      const all = files.map(({ operationSid }) => operationSid);
      // An import that goes on reads its file; whom it makes anew is found when the person is looked for again.
      const running = await unfinishedAmong(t, all);
      const over = all.filter((sid) => !running.has(sid)).slice(0, page.limit);
      await t.run(
        sql`delete from contact_file_parts where ${here} and operation_sid = any (${over}::text[])`,
      );
      await t.run(sql`delete from contact_files where ${here} and operation_sid = any (${over}::text[])`);
      // Whom an export was to find stands in what it was given, which outlives its file.
      await blankInputs(t, contactExport.type);
      return untilFew(over.length, page);
    },
  },
  {
    name: 'contact_import_media',
    async erase(t) {
      const inputs = await endedInputs(t, [contactImport.type, contactImportCheck.type]);
      const read = inputs.flatMap((input) => (input as Partial<ImportInput>).mediaSid ?? []);
      return { rows: await expireFiles(t, [...new Set(read)]), next: null };
    },
  },
];
