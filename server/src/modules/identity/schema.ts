// Shapes that several rooms share.
import { Type } from 'typebox';
import { NamedObject, Text } from '../../platform/http/input/schema.ts';

export const ProviderKey = Type.String({ pattern: '^[a-z0-9][a-z0-9_-]*$', maxLength: 64 });

export const WithStepUp = NamedObject('StepUpRequest', { stepUpToken: Text(256) });
