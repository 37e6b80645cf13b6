import { Type } from 'typebox';
import { sql } from '../../../platform/db/query.ts';
import { sha256 } from '../../../platform/hashing.ts';
import { Closed } from '../../../platform/http/input/schema.ts';
import { defineJob, untilDone } from '../../../platform/jobs/jobs.ts';
import { renderer, renderPdf } from '../pdf/render-pdf.ts';

/** Draws a document, between two transactions: nothing is locked meanwhile. */
export const renderDocument = defineJob({
  name: 'billing-documents.render',
  payload: Closed({ sequence: Type.Integer({ minimum: 1 }) }),
  attempts: untilDone,
  async run(context, { sequence }) {
    const found = await context.read((t) =>
      t.maybe<{ json: string }>(sql`
        select json from billing_documents d
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sequence = ${sequence}
           and not exists (select from billing_document_pdfs p
             where p.account_sid = d.account_sid and p.livemode = d.livemode and p.sequence = d.sequence)`),
    );
    if (!found) return;
    const pdf = await renderPdf(found.json);
    await context.write((t) =>
      t.run(sql`
        with drawn as (
          insert into billing_document_pdfs (account_sid, livemode, sequence, renderer, pdf, sha256, rendered_at)
          values (${t.accountSid}, ${t.livemode}, ${sequence}, ${renderer}, ${pdf}, ${sha256(pdf)}, ${t.now})
          on conflict do nothing)
        delete from billing_documents_undrawn
         where account_sid = ${t.accountSid} and livemode = ${t.livemode} and sequence = ${sequence}`),
    );
  },
});
