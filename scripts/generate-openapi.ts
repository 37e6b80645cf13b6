// Writes docs/generated/openapi.json: the document as a file, for generators and for whoever compares two versions. It
// belongs to no installation, so its addresses are relative.
import { api } from '../server/src/main/modules.ts';
import { openApiDocument } from '../server/src/platform/http/openapi/openapi.ts';
import { generated } from './generated-file.ts';

const width = 140;

/** A value on one line where that fits, else a line for each of its members. */
function written(value: unknown, indent = ''): string {
  const line = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || indent.length + line.length <= width) return line;
  const inner = `${indent} `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const members = Object.entries(value).map(([name, member]) => {
    const key = Array.isArray(value) ? '' : `${JSON.stringify(name)}: `;
    return `${inner}${key}${written(member, inner)}`;
  });
  return `${open}\n${members.join(',\n')}\n${indent}${close}`;
}

await generated('docs/generated/openapi.json', `${written(openApiDocument(api, ''))}\n`);
