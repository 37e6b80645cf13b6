// Reads a PDF as a program would that has never heard of us.
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';

/** A piece of text and where on its sheet it stands. */
export type PdfText = { text: string; x: number; y: number };
export type ReadPdf = {
  pages: PdfText[][];
  /** All of it, in the order it was written. */
  text: string;
  info: Record<string, unknown>;
  /** What could do something: links, forms, scripts. */
  active: number;
};

export async function readPdf(bytes: Uint8Array): Promise<ReadPdf> {
  // Whoever reads takes the bytes away, so it gets a copy.
  const loading = getDocument({ data: Uint8Array.from(bytes), verbosity: 0 });
  const document = await loading.promise;
  try {
    const pages: PdfText[][] = [];
    let active = (await document.getJSActions()) ? 1 : 0;
    for (let number = 1; number <= document.numPages; number += 1) {
      const page = await document.getPage(number);
      active += (await page.getAnnotations()).length;
      const { items } = await page.getTextContent({ disableNormalization: true });
      pages.push(
        items.flatMap((item) =>
          'str' in item && item.str !== ''
            ? [{ text: item.str, x: item.transform[4], y: item.transform[5] }]
            : [],
        ),
      );
    }
    const { info } = await document.getMetadata();
    const text = pages
      .flat()
      .map((piece) => piece.text)
      .join('\n');
    return { pages, text, info: info as Record<string, unknown>, active };
  } finally {
    await loading.destroy();
  }
}

/** As people read it: what stands at the same height of a sheet is one row, from left to right. */
export const rowsOf = ({ pages }: ReadPdf): string[][] =>
  pages.flatMap((page) => {
    const rows = Map.groupBy(
      page.filter(({ text }) => text.trim() !== ''),
      ({ y }) => Math.round(y),
    );
    return [...rows]
      .toSorted(([a], [b]) => b - a)
      .map(([, row]) => row.toSorted((a, b) => a.x - b.x).map(({ text }) => text));
  });
