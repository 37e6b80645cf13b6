// Writes the generated half of the SDKs, and what all of them are tried with.
import { ranks } from '../../server/src/modules/messages/statuses.ts';
import { roleCatalogue, scopesOfRole } from '../../server/src/modules/roles/index.ts';
import { errorCatalogue } from '../../server/src/platform/errors/error-catalogue.ts';
import { generated } from '../generated-file.ts';
import { jsonText } from '../json-text.ts';
import { errorFixtures, eventFixtures, signatureFixtures } from './fixtures.ts';
import { readGroups, readShapes } from './read-api.ts';
import {
  accessText,
  callsText,
  methodsText,
  modelsText,
  ranksText,
  wordListText,
} from './write-typescript.ts';

const groups = readGroups();
const shapes = readShapes(groups);

const roles = Object.keys(roleCatalogue) as (keyof typeof roleCatalogue)[];
const ofOperations = groups.flatMap(({ methods }) =>
  methods.flatMap(({ scopes, alsoNeeds }) => [...scopes, ...(alsoNeeds ? [alsoNeeds] : [])]),
);
const scopes = [...new Set([...roles.flatMap((role) => [...scopesOfRole(role)]), ...ofOperations])].sort();
const codes = Object.keys(errorCatalogue);

const source = 'sdk/typescript/src';
const codeNote = 'The codes of errors; `/docs/errors` says what each means and what to do.';
const scopeNote = 'What a key or a role may be allowed to do.';
await generated(`${source}/generated/models.ts`, modelsText(shapes));
await generated(`${source}/generated/apis.ts`, methodsText(groups));
await generated(`${source}/generated/access.ts`, accessText(groups));
await generated(`${source}/generated/calls.ts`, callsText(groups));
await generated(`${source}/words/error-codes.ts`, wordListText('errorCodes', 'ErrorCode', codeNote, codes));
await generated(`${source}/words/scopes.ts`, wordListText('scopes', 'Scope', scopeNote, scopes));
await generated(`${source}/words/message-ranks.ts`, ranksText(ranks));

await generated('sdk/fixtures/errors.json', `${jsonText(errorFixtures())}\n`);
await generated('sdk/fixtures/events.json', `${jsonText(eventFixtures())}\n`);
await generated('sdk/fixtures/signatures.json', `${jsonText(signatureFixtures())}\n`);
