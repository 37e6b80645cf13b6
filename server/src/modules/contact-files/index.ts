import type { Module } from '../../platform/module.ts';
import { contactFileBelongings } from './belongings.ts';
import { sweepContactFiles } from './crons.ts';
import { contactExport } from './export-contacts.ts';
import { contactImport, contactImportCheck } from './import-contacts.ts';
import { operations } from './routes.ts';

export { csvLine } from './csv.ts';
export { attachment } from './download.ts';
export { storeWhole } from './files.ts';
export { type CsvLine, readCsvLines } from './read-rows.ts';
export { contactImport };
export const contactFilesModule: Module = {
  name: 'contact-files',
  tables: ['contact_files', 'contact_file_parts'],
  tags: {
    'Contact files': 'Contacts imported from files and exported to them.',
  },
  operations,
  jobs: [contactImport.job, contactImportCheck.job, contactExport.job],
  crons: [sweepContactFiles],
  belongings: contactFileBelongings,
};
