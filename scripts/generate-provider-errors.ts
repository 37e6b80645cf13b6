// Writes docs/generated/provider-errors.md: what each of the provider's error codes becomes.
import { knownCodes } from '../server/src/adapters/whatsapp/errors.ts';
import { generated } from './generated-file.ts';

const text = [
  "# The provider's error codes",
  '<!-- Generated from the table of the adapter by "npm run generate". -->',
  'The provider\'s code stays visible as `providerCode`. "Again" says whether the same request may succeed later without anybody changing anything.',
  [
    '| Provider | Ours | Again |',
    '| --- | --- | :-: |',
    ...knownCodes.map(
      ({ codes, code, endsAs, retryable }) =>
        `| ${codes} | ${endsAs ? `${code}, in the end ${endsAs}` : code} | ${retryable ? '●' : ''} |`,
    ),
    '| 100 with subcode 33 | WABA_NOT_CONNECTED |  |',
    '| any other, HTTP 5xx or marked as passing | PROVIDER_TEMPORARY_ERROR | ● |',
    '| any other | PROVIDER_PERMANENT_ERROR |  |',
    '| no connection | PROVIDER_TEMPORARY_ERROR | ● |',
    '| no answer to a message that may have left | PROVIDER_RESULT_UNKNOWN |  |',
  ].join('\n'),
].join('\n\n');

await generated('docs/generated/provider-errors.md', `${text}\n`);
