// What the simulated provider makes for an account's sandbox. Nothing is asked of the simulator: tokens describe what they
// open, and the sample templates are the ones it begins with.
import { randomInt } from 'node:crypto';
import {
  readSandboxToken,
  type SandboxPortfolio,
  sampleTemplateId,
  sampleTemplates,
  sandboxCatalogId,
  sandboxToken,
} from '@godwit/simulator';
import type { ProviderPhoneNumber, ProviderTemplate } from '../modules/provider/index.ts';
import type { Sandbox } from '../modules/wabas/index.ts';

type Number = SandboxPortfolio['phoneNumbers'][number];

const digits = (count: number) => Array.from({ length: count }, () => randomInt(10)).join('');
/** Ids of the provider are decimal and about this long. */
const newId = () => `${randomInt(1, 10)}${digits(15)}`;
/** +1 555 is given to nobody. */
const newNumber = (name: string): Number => ({ id: newId(), number: `1555${digits(7)}`, name });

const asListed = ({ id, number, name }: Number): ProviderPhoneNumber => ({
  id,
  displayPhoneNumber: `+${number}`,
  verifiedName: name,
  status: 'CONNECTED',
  qualityRating: 'GREEN',
  throughputLevel: 'STANDARD',
  messagingLimit: null,
  nameStatus: 'APPROVED',
  isOnBizApp: false,
  codeVerificationStatus: 'VERIFIED',
});

const templatesOf = (wabaId: string): ProviderTemplate[] =>
  sampleTemplates.map((template) => ({
    ...template,
    id: sampleTemplateId(wabaId, template.name, template.language),
    status: 'APPROVED',
    qualityScore: null,
    rejectedReason: null,
  }));

function describing(accessToken: string, added: Number): string {
  const described = readSandboxToken(accessToken);
  if (!described) throw new Error('the token of a sandbox account does not describe it');
  return sandboxToken({ ...described, phoneNumbers: [...described.phoneNumbers, added] });
}

export const sandbox: Sandbox = {
  newWaba(names, businessId = newId()) {
    const wabaId = newId();
    const phoneNumbers = names.map(newNumber);
    return {
      businessId,
      wabaId,
      accessToken: sandboxToken({ businessId, wabaId, phoneNumbers }),
      phoneNumbers: phoneNumbers.map(asListed),
      templates: templatesOf(wabaId),
      facts: { marketingMessages: 'ONBOARDED', catalogIds: [sandboxCatalogId] },
    };
  },
  addNumber(accessToken, name) {
    const added = newNumber(name);
    return { accessToken: describing(accessToken, added), phoneNumber: asListed(added) };
  },
  withNumber: (accessToken, { id, displayPhoneNumber, verifiedName: name }) =>
    describing(accessToken, { id, number: displayPhoneNumber.replaceAll(/\D/g, ''), name }),
};
