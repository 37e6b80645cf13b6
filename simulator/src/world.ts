// What the provider remembers: portfolios, WABAs, numbers, templates, media, flows. Everything here survives a restart
// when there is a state file; what lives for a day or less (windows, rates, records) is kept elsewhere and forgotten.

import { GraphError, unknownObject } from './errors.ts';
import type { SandboxPortfolio } from './http/access-token.ts';
import { sampleTemplateId, sampleTemplates } from './templates/sample-templates.ts';

export type Waba = {
  id: string;
  businessId: string;
  name: string;
  currency: string;
  country: string;
  reviewStatus: string;
  verification: string;
  subscribed: boolean;
  overrideUrl: string | null;
  /** Other apps that hear of it too. */
  otherAppIds: string[];
  /** Tokens of earlier grants are refused. */
  grant: number;
  marketingOnboarding: string;
  /** The catalogs connected to it. */
  catalogIds: string[];
  /** Products that were added to them. */
  products: Product[];
  cloudMarketingDisabled: boolean;
  paymentOk: boolean;
  /** The credential that pays for it, where the partner's credit line does. */
  primaryFundingId: string | null;
  banned: boolean;
  createdTemplatesMs: number[];
  lockedNames: Record<string, number>;
};

export type Product = { id: string; catalogId: string; retailerId: string; name: string };

export type PhoneNumber = {
  id: string;
  wabaId: string;
  number: string;
  verifiedName: string;
  nameStatus: string;
  /** A display name that was asked for and is not in use yet. */
  newName: { name: string; status: 'PENDING_REVIEW' | 'APPROVED' | 'DECLINED' } | null;
  nameChangesMs: number[];
  status: string;
  quality: string;
  codeVerification: string;
  /** When the code went out that is waited for. */
  codeSentMs: number | null;
  throughputLevel: 'STANDARD' | 'HIGH';
  isOnBizApp: boolean;
  pin: string | null;
  wrongPins: number;
  pinBlockedUntilMs: number;
  registrationCallsMs: number[];
  overrideUrl: string | null;
  profile: Record<string, unknown>;
  blocked: string[];
  publicKey: string | null;
  identityCheck: boolean;
  dataRegion: string | null;
  username: string | null;
  syncs: string[];
  onboardedMs: number;
  /** The id under which it is where it comes from, until it is registered here. */
  movingFrom: string | null;
};

export type Template = {
  id: string;
  wabaId: string;
  name: string;
  language: string;
  category: string;
  previousCategory: string | null;
  parameterFormat: 'POSITIONAL' | 'NAMED';
  status: string;
  components: TemplateComponent[];
  rejectedReason: string;
  quality: string;
  ttlSeconds: number | null;
  updatedMs: number;
  approvedMs: number | null;
  editsMs: number[];
  pauses: number;
  /** How many messages of its sample may still go out; null once it is trusted. */
  sampleLeft: number | null;
  /** The category it will have, once announced. */
  correctCategory: string | null;
};

// biome-ignore lint/suspicious/noExplicitAny: the wire's own shape, judged where it comes in and read by its field names
export type TemplateComponent = Record<string, any>;

export type Media = {
  id: string;
  phoneNumberId: string;
  mimeType: string;
  sha256: string;
  fileSize: number;
  createdMs: number;
  inbound: boolean;
};

export type Flow = {
  id: string;
  wabaId: string;
  name: string;
  status: string;
  categories: string[];
  endpointUri: string | null;
  json: string | null;
  updatedMs: number;
  sentMs: number[];
};

/** The partner's credit line, shared with a business. */
export type CreditAllocation = {
  id: string;
  receivingBusinessId: string;
  receivingCredentialId: string;
  requestStatus: 'APPROVED' | 'DELETED';
};

/** What the simulated carrier was asked for. */
export type NumberOrder = {
  reference: string;
  kind: 'PURCHASE' | 'PORT';
  /** Digits, without a plus. */
  number: string;
  orderedMs: number;
  readyMs: number;
  refusal: string | null;
  released: boolean;
};

export type Portfolio = { id: string; messagingLimit: string };

export type Tables = {
  portfolios: Map<string, Portfolio>;
  wabas: Map<string, Waba>;
  numbers: Map<string, PhoneNumber>;
  templates: Map<string, Template>;
  media: Map<string, Media>;
  flows: Map<string, Flow>;
  allocations: Map<string, CreditAllocation>;
  /** What was ordered of the simulated carrier, by the name its customer gave it. */
  numberOrders: Map<string, NumberOrder>;
};

/** Whoever holds a token may see everything of its portfolio. */
export type Tenant = { token: string; businessId: string };

export type World = Tables & {
  /** To be called after every change that must survive. */
  changed(): void;
  provision(token: string, portfolio: SandboxPortfolio, nowMs: number): Tenant;
  findTemplate(wabaId: string, name: string, language: string): Template | undefined;
  addTemplate(template: Template): void;
  removeTemplate(template: Template): void;
};

export const emptyTables = (): Tables => ({
  portfolios: new Map(),
  wabas: new Map(),
  numbers: new Map(),
  templates: new Map(),
  media: new Map(),
  flows: new Map(),
  allocations: new Map(),
  numberOrders: new Map(),
});

const nameOf = ({ wabaId, name, language }: Pick<Template, 'wabaId' | 'name' | 'language'>) =>
  `${wabaId}/${name}/${language}`;

export function createWorld(tables: Tables, changed: () => void): World {
  // Every template message asks by name, among the templates of every account.
  const templatesByName = new Map(
    [...tables.templates.values()].map((template) => [nameOf(template), template]),
  );
  const world: World = {
    ...tables,
    changed,
    findTemplate: (wabaId, name, language) => templatesByName.get(nameOf({ wabaId, name, language })),
    addTemplate(template) {
      world.templates.set(template.id, template);
      templatesByName.set(nameOf(template), template);
      changed();
    },
    removeTemplate(template) {
      world.templates.delete(template.id);
      templatesByName.delete(nameOf(template));
      changed();
    },
    provision(token, { businessId, wabaId, phoneNumbers, grant = 0 }, nowMs) {
      const known = world.wabas.get(wabaId);
      if (known && grant < known.grant) throw revokedToken();
      const strays = phoneNumbers.some(({ id }) => {
        const owner = world.wabas.get(world.numbers.get(id)?.wabaId ?? '');
        return owner && owner.businessId !== businessId;
      });
      if ((known && known.businessId !== businessId) || strays) {
        throw new GraphError(190, 'Invalid OAuth access token - the token does not fit the objects it names');
      }
      if (!world.portfolios.has(businessId)) {
        world.portfolios.set(businessId, { id: businessId, messagingLimit: 'TIER_UNLIMITED' });
      }
      if (!known) {
        world.wabas.set(wabaId, newWaba(wabaId, businessId));
        for (const template of samplesOf(wabaId, nowMs)) world.addTemplate(template);
      }
      for (const { id, number, name } of phoneNumbers) {
        if (!world.numbers.has(id))
          world.numbers.set(id, {
            ...connectedNumber({ id, wabaId, number, name, nowMs }),
            publicKey: sandboxPublicKey,
          });
      }
      changed();
      return { token, businessId };
    },
  };
  return world;
}

const revokedToken = () =>
  new GraphError(190, 'Error validating access token: The session has been invalidated.', { subcode: 460 });

/** What every simulated business sells from. */
export const sandboxCatalogId = '880011223344556';
/** Sandbox numbers begin with a key, so that flows with an endpoint can be sent at once. Nothing is encrypted with it. */
const sandboxPublicKey = '-----BEGIN PUBLIC KEY-----\nc2FuZGJveA==\n-----END PUBLIC KEY-----';

export function newWaba(id: string, businessId: string): Waba {
  return {
    id,
    businessId,
    name: 'Sandbox',
    currency: 'EUR',
    country: 'FR',
    reviewStatus: 'APPROVED',
    verification: 'verified',
    subscribed: true,
    overrideUrl: null,
    otherAppIds: [],
    grant: 0,
    marketingOnboarding: 'ONBOARDED',
    catalogIds: [sandboxCatalogId],
    products: [],
    cloudMarketingDisabled: false,
    paymentOk: true,
    primaryFundingId: null,
    banned: false,
    createdTemplatesMs: [],
    lockedNames: {},
  };
}

type NewNumber = { id: string; wabaId: string; number: string; name: string; nowMs: number };

export function connectedNumber({ id, wabaId, number, name, nowMs }: NewNumber): PhoneNumber {
  return {
    id,
    wabaId,
    number,
    verifiedName: name,
    nameStatus: 'APPROVED',
    newName: null,
    nameChangesMs: [],
    status: 'CONNECTED',
    quality: 'GREEN',
    codeVerification: 'VERIFIED',
    codeSentMs: null,
    throughputLevel: 'STANDARD',
    isOnBizApp: false,
    pin: null,
    wrongPins: 0,
    pinBlockedUntilMs: 0,
    registrationCallsMs: [],
    overrideUrl: null,
    profile: { messaging_product: 'whatsapp', about: '', vertical: 'OTHER' },
    blocked: [],
    publicKey: null,
    identityCheck: false,
    dataRegion: null,
    username: null,
    syncs: [],
    onboardedMs: nowMs,
    movingFrom: null,
  };
}

function samplesOf(wabaId: string, nowMs: number): Template[] {
  return sampleTemplates.map(({ name, language, category, parameterFormat, components }) => ({
    id: sampleTemplateId(wabaId, name, language),
    wabaId,
    name,
    language,
    category,
    previousCategory: null,
    parameterFormat,
    status: 'APPROVED',
    components,
    rejectedReason: 'NONE',
    quality: 'UNKNOWN',
    ttlSeconds: null,
    updatedMs: nowMs,
    approvedMs: nowMs,
    editsMs: [],
    pauses: 0,
    sampleLeft: null,
    correctCategory: null,
  }));
}

export function requireWaba(world: World, tenant: Tenant, id: string): Waba {
  const waba = world.wabas.get(id);
  if (!waba || waba.businessId !== tenant.businessId) throw unknownObject(id);
  return waba;
}

export function requireNumber(world: World, tenant: Tenant, id: string): PhoneNumber {
  const number = world.numbers.get(id);
  if (!number || world.wabas.get(number.wabaId)?.businessId !== tenant.businessId) throw unknownObject(id);
  return number;
}

/** Templates and flows belong to a WABA. */
export function requireOfWaba<T extends { wabaId: string }>(
  world: World,
  tenant: Tenant,
  table: Map<string, T>,
  id: string,
): T {
  const found = table.get(id);
  if (!found || world.wabas.get(found.wabaId)?.businessId !== tenant.businessId) throw unknownObject(id);
  return found;
}

/** The WABA an object is or belongs to. */
export const wabaIdOf = ({ wabas, numbers, templates, flows }: World, id: string): string | undefined =>
  wabas.get(id)?.id ?? numbers.get(id)?.wabaId ?? templates.get(id)?.wabaId ?? flows.get(id)?.wabaId;

export const templatesOf = (world: World, wabaId: string) =>
  [...world.templates.values()].filter((template) => template.wabaId === wabaId);
