import { Type } from 'typebox';
import { Closed, NamedObject, Sid, Text, Uuid, Word } from '../../../platform/http/input/schema.ts';

// A provider's key within its organization, or its id, which needs no organization.
const providerKey = Type.String({ pattern: '^[a-z0-9][a-z0-9_-]*$', maxLength: 64 });
export const ssoPath = Closed({ providerKey });

// A path of our own origin. `//host` and `/\host` would lead a browser elsewhere.
const unfit = '\\\\\\x00-\\x20\\x7f';
const returnTo = Type.String({ pattern: `^/([^/${unfit}][^${unfit}]*)?$`, maxLength: 2048 });

export const StartQuery = Closed({
  accountSid: Type.Optional(Sid('AC')),
  organization: Type.Optional(Uuid),
  environment: Type.Optional(Word('live', 'sandbox')),
  returnTo: Type.Optional(returnTo),
});

const added = Type.Optional(Text(4096));

/** What the protocol says, and what the large providers are known to add. */
export const CallbackQuery = Closed({
  state: Text(512, 1),
  code: added,
  iss: added,
  error: added,
  error_description: added,
  error_uri: added,
  session_state: added,
  scope: added,
  authuser: added,
  prompt: added,
  hd: added,
  client_info: added,
});

export const AssertionForm = NamedObject('FinishSamlSignInRequest', {
  SAMLResponse: Text(262_144, 1),
  RelayState: Text(512, 1),
});
