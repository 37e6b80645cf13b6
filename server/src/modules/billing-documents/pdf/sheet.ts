// Sheets of paper, one after the other: text is put down from the top and goes on overleaf.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type Pdf from 'pdfkit';
import { plainText } from './plain-text.ts';
import { wrap } from './wrap.ts';

const packages = createRequire(import.meta.url);
/** Loaded with the first document: every start would wait for it otherwise, and most processes draw none. */
const newPdf = (options: PDFKit.PDFDocumentOptions): PDFKit.PDFDocument => {
  const PDFDocument: typeof Pdf = packages('pdfkit');
  return new PDFDocument(options);
};
const fontFile = (name: string) =>
  readFileSync(packages.resolve(`@expo-google-fonts/noto-sans/${name}/NotoSans_${name}.ttf`));
type ParsedFont = { hasGlyphForCodePoint(code: number): boolean };
const parsedIn = (pdf: PDFKit.PDFDocument) => (pdf as unknown as { _font: { font: ParsedFont } })._font.font;

/** Reading a font takes longer than drawing a document with it, so it is read once. pdfkit also takes one it has read. */
const readFont = (name: string): PDFKit.Mixins.PDFFontSource =>
  parsedIn(newPdf({ font: fontFile(name) as never })) as never;

let fonts: Record<'plain' | 'strong', PDFKit.Mixins.PDFFontSource> | null = null;
const readFonts = () => (fonts ??= { plain: readFont('400Regular'), strong: readFont('700Bold') });

export const paper = { width: 595.28, height: 841.89, margin: 48, footer: 40 };
export const textWidth = paper.width - 2 * paper.margin;
const bottom = paper.height - paper.margin - paper.footer;

export type Style = { size?: number; strong?: boolean; color?: string; align?: 'left' | 'right' };
/** A stretch of the line: where it begins, from the left margin, and how wide it is. */
export type Box = { at: number; width: number };
export type Line = { text: string; box: Box; style: Style };

const leading = 1.4;
const plainSize = 9;
const ink = '#1f2328';
export const faint = '#656d76';

export class Sheet {
  readonly #pdf: PDFKit.PDFDocument;
  readonly #chunks: Buffer[] = [];
  readonly #done: Promise<void>;
  #y = paper.margin;

  constructor(info: { title: string; author: string; drawnAt: Date }) {
    this.#pdf = newPdf({
      size: [paper.width, paper.height],
      margin: 0,
      bufferPages: true,
      pdfVersion: '1.7',
      // Processors compress the same bytes differently, and a subset of two fonts is small as it is.
      compress: false,
      lang: 'en',
      // The file's ID follows from these: no clock and no chance.
      info: {
        Title: info.title,
        Author: info.author,
        Producer: 'Godwit',
        Creator: 'Godwit',
        CreationDate: info.drawnAt,
      },
      font: null as unknown as string,
    });
    this.#pdf.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
    this.#done = new Promise((resolve, reject) => this.#pdf.once('end', resolve).once('error', reject));
    // Both in this order, whichever is used first: the order decides their names in the file.
    const { plain, strong } = readFonts();
    this.#pdf.registerFont('plain', plain).registerFont('strong', strong);
    this.#pdf.font('strong').font('plain');
  }

  get y(): number {
    return this.#y;
  }

  /** As it will be shown. Both faces have the same characters. */
  plain(text: string): string {
    const font = parsedIn(this.#pdf);
    return plainText(text, (code) => font.hasGlyphForCodePoint(code));
  }

  /** The lines a text takes in a stretch of that width. */
  lines(text: string, box: Box, style: Style = {}): Line[] {
    this.#use(style);
    const found = wrap(this.plain(text), box.width, (part) => this.#pdf.widthOfString(part));
    return found.map((line) => ({ text: line, box, style }));
  }

  lineHeight({ size = plainSize }: Style = {}): number {
    return size * leading;
  }

  /** Puts lines beside each other, at the height it has come to. */
  put(beside: readonly Line[]): void {
    for (const { text, box, style } of beside) {
      this.#use(style);
      const slack = style.align === 'right' ? box.width - this.#pdf.widthOfString(text) : 0;
      this.#pdf.text(text, paper.margin + box.at + slack, this.#y, { lineBreak: false });
    }
  }

  down(points: number): void {
    this.#y += points;
  }

  /** Whether so much still fits on this sheet. */
  fits(points: number): boolean {
    return this.#y + points <= bottom;
  }

  turn(): void {
    this.#pdf.addPage();
    this.#y = paper.margin;
  }

  rule({ at, width }: Box = { at: 0, width: textWidth }, color = '#d0d7de'): void {
    const left = paper.margin + at;
    this.#pdf
      .moveTo(left, this.#y)
      .lineTo(left + width, this.#y)
      .lineWidth(0.5)
      .strokeColor(color)
      .stroke();
  }

  /** Ends every sheet with its footer, and tells the whole. */
  async finish(footer: (page: number, pages: number) => Line[]): Promise<Buffer> {
    const { count } = this.#pdf.bufferedPageRange();
    for (let page = 0; page < count; page += 1) {
      this.#pdf.switchToPage(page);
      this.#y = paper.height - paper.margin - this.lineHeight();
      this.put(footer(page + 1, count));
    }
    this.#pdf.end();
    await this.#done;
    return Buffer.concat(this.#chunks);
  }

  #use({ size = plainSize, strong = false, color = ink }: Style): void {
    this.#pdf
      .font(strong ? 'strong' : 'plain')
      .fontSize(size)
      .fillColor(color);
  }
}
