// The two forms a resource with a document is answered in.
import type { TenantTx } from '../../../platform/db/database.ts';
import { type Operation, StreamedAnswer } from '../../../platform/http/operations/operation.ts';
import { documentPdf, type Subject } from './documents.ts';

const pdfType = 'application/pdf';

/** What a GET declares that answers this way. */
export const answersPdf: Pick<Operation, 'alsoAnswers' | 'sends'> = {
  alsoAnswers: pdfType,
  sends: ['Content-Disposition'],
};

/** The resource as JSON, or its PDF to whoever likes that better: not found where no document was issued. */
export async function answerDocument<R>(
  t: TenantTx,
  accept: string | undefined,
  of: Subject,
  resource: () => Promise<R>,
): Promise<R | StreamedAnswer> {
  if (!likesPdf(accept)) return resource();
  const pdf = await documentPdf(t, of);
  return new StreamedAnswer(pdfType, once(pdf), {
    'content-length': String(pdf.length),
    'content-disposition': `attachment; filename="${of.subject}.pdf"`,
    'cache-control': 'private',
    vary: 'accept',
  });
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** Only whoever names it: everybody else, browsers included, takes anything and gets JSON. */
export function likesPdf(accept = ''): boolean {
  const weights = new Map(
    accept.split(',').map((part) => {
      const [type = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const weight = parameters.find((text) => text.startsWith('q='))?.slice(2);
      return [type, weight === undefined ? 1 : Number(weight)] as const;
    }),
  );
  const pdf = weights.get(pdfType) ?? 0;
  return pdf > 0 && pdf > (weights.get('application/json') ?? 0);
}
