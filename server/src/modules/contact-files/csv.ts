// How cells are written so that a spreadsheet shows them and never runs them. A cell that would be taken for a formula
// gets a ' before it; reading takes away exactly that one again, so that what was exported comes back as it was.
const formula = /^'*[=+\-@\t\r]/;
const marked = /^'+[=+\-@\t\r]/;
const harmless = /^\+[1-9]\d{6,14}$|^-?\d{1,15}(\.\d{1,15})?$/;

const writeCell = (value: string | null) => {
  const safe = value !== null && formula.test(value) && !harmless.test(value) ? `'${value}` : (value ?? '');
  return `"${safe.replaceAll('"', '""')}"`;
};

export const csvLine = (cells: (string | null)[]): string => `${cells.map(writeCell).join(',')}\r\n`;

export const readCell = (cell: string): string => (marked.test(cell) ? cell.slice(1) : cell);
