// Writes docs/generated/openapi.json: the document as a file, for generators and for whoever compares two versions. It
// belongs to no installation, so its addresses are relative.
import { api } from '../server/src/main/modules.ts';
import { openApiDocument } from '../server/src/platform/http/openapi/openapi.ts';
import { generated } from './generated-file.ts';
import { jsonText } from './json-text.ts';

await generated('docs/generated/openapi.json', `${jsonText(openApiDocument(api, ''))}\n`);
