// The life of a number once it is there: registered with a PIN, described, deregistered.

import { GraphError, unknownObject } from '../errors.ts';
import type { Call } from '../http/http.ts';
import { choose, pageOf } from '../http/listing.ts';
import { type PhoneNumber, requireNumber, requireWaba } from '../world.ts';
import { askForName, takeNewName } from './display-names.ts';
import { finishMove } from './moving-numbers.ts';
import { checkPin, setPin } from './pins.ts';

const done = { success: true } as const;
const registrationWindowMs = 72 * 3_600_000;
const mostRegistrations = 10;
const regions = ['AU', 'ID', 'IN', 'JP', 'SG', 'KR', 'DE', 'CH', 'GB', 'BR', 'BH', 'ZA', 'AE', 'CA'];

const defaultFields = [
  'verified_name',
  'code_verification_status',
  'display_phone_number',
  'quality_rating',
  'platform_type',
  'throughput',
  'last_onboarded_time',
  'webhook_configuration',
];

function view(call: Call, number: PhoneNumber): Record<string, unknown> {
  const { world, options, appCallbackUrl } = call.simulation;
  const waba = world.wabas.get(number.wabaId)!;
  const available = number.status === 'CONNECTED' && !waba.banned;
  return {
    id: number.id,
    display_phone_number: `+${number.number}`,
    verified_name: number.verifiedName,
    status: number.status,
    quality_rating: number.quality,
    code_verification_status: number.codeVerification,
    name_status: number.nameStatus,
    new_display_name: number.newName?.name,
    new_name_status: number.newName?.status ?? 'NONE',
    platform_type: number.status === 'UNVERIFIED' ? 'NOT_APPLICABLE' : 'CLOUD_API',
    throughput: { level: number.throughputLevel },
    whatsapp_business_manager_messaging_limit: world.portfolios.get(waba.businessId)?.messagingLimit,
    is_on_biz_app: number.isOnBizApp,
    is_pin_enabled: number.pin !== null,
    is_official_business_account: false,
    account_mode: 'SANDBOX',
    last_onboarded_time: new Date(number.onboardedMs).toISOString(),
    webhook_configuration: {
      ...(number.overrideUrl && { phone_number: number.overrideUrl }),
      ...(waba.overrideUrl && { whatsapp_business_account: waba.overrideUrl }),
      application: appCallbackUrl ?? options.callbackUrl() ?? undefined,
    },
    health_status: {
      can_send_message: available ? 'AVAILABLE' : 'BLOCKED',
      entities: [
        { entity_type: 'PHONE_NUMBER', id: number.id, can_send_message: available ? 'AVAILABLE' : 'BLOCKED' },
        { entity_type: 'WABA', id: waba.id, can_send_message: waba.banned ? 'BLOCKED' : 'AVAILABLE' },
        { entity_type: 'BUSINESS', id: waba.businessId, can_send_message: 'AVAILABLE' },
        { entity_type: 'APP', id: options.appId, can_send_message: 'AVAILABLE' },
      ],
    },
  };
}

export const readNumber = (call: Call, number: PhoneNumber) =>
  choose(view(call, number), call.fields.fields, defaultFields);

export function listNumbers(call: Call) {
  const waba = requireWaba(call.simulation.world, call.tenant, call.id);
  const own = [...call.simulation.world.numbers.values()].filter(({ wabaId }) => wabaId === waba.id);
  const page = pageOf(
    call.request,
    own.map((number) => view(call, number)),
  );
  return { ...page, data: page.data.map((one) => choose(one, call.fields.fields, defaultFields)) };
}

/** Ten calls in 72 hours, then none for as long. */
function countRegistration({ timeline }: Call['simulation'], number: PhoneNumber): void {
  const nowMs = timeline.nowMs();
  number.registrationCallsMs = number.registrationCallsMs.filter(
    (atMs) => atMs > nowMs - registrationWindowMs,
  );
  if (number.registrationCallsMs.length >= mostRegistrations)
    throw new GraphError(133016, 'Ten register or deregister calls in 72 hours are used up.');
  number.registrationCallsMs.push(nowMs);
}

const pinForm = /^\d{6}$/;

export function registerNumber({ simulation, tenant, id, fields }: Call) {
  const { world, timeline } = simulation;
  const number = requireNumber(world, tenant, id);
  const { pin, data_localization_region: region } = fields;
  if (fields.messaging_product !== 'whatsapp')
    throw new GraphError(100, 'The parameter messaging_product is required.');
  if (!pinForm.test(String(pin ?? ''))) throw new GraphError(100, 'pin must be six digits.');
  if (region !== undefined && !regions.includes(region))
    throw new GraphError(100, 'data_localization_region is not known.');
  if (number.codeVerification !== 'VERIFIED')
    throw new GraphError(133006, 'The number must be verified first.');
  countRegistration(simulation, number);
  checkPin(number, String(pin), timeline.nowMs());
  setPin(number, String(pin));
  takeNewName(number);
  number.status = 'CONNECTED';
  number.dataRegion = region ?? null;
  number.onboardedMs = timeline.nowMs();
  finishMove(simulation, number);
  world.changed();
  return done;
}

export function deregisterNumber({ simulation, tenant, id }: Call) {
  const number = requireNumber(simulation.world, tenant, id);
  if (number.isOnBizApp)
    throw new GraphError(100, 'A number used in the WhatsApp Business app cannot be deregistered.');
  countRegistration(simulation, number);
  number.status = 'DISCONNECTED';
  simulation.world.changed();
  return done;
}

const profileFields = [
  'about',
  'address',
  'description',
  'email',
  'profile_picture_url',
  'websites',
  'vertical',
];
const profileLimits: Record<string, number> = {
  about: 139,
  address: 256,
  description: 512,
  email: 128,
  vertical: 64,
};

export function readProfile({ simulation, tenant, id, fields }: Call) {
  const number = requireNumber(simulation.world, tenant, id);
  const chosen = choose(number.profile, fields.fields, profileFields);
  return { data: [{ ...chosen, messaging_product: 'whatsapp' }] };
}

export function updateProfile({ simulation, tenant, id, fields }: Call) {
  const number = requireNumber(simulation.world, tenant, id);
  const { messaging_product, profile_picture_handle, ...profile } = fields;
  if (messaging_product !== 'whatsapp')
    throw new GraphError(100, 'The parameter messaging_product is required.');
  for (const [name, value] of Object.entries(profile)) {
    if (!profileFields.includes(name) || name === 'profile_picture_url')
      throw new GraphError(100, `Unexpected key "${name}" on param "body".`);
    if (name !== 'websites' && (typeof value !== 'string' || value.length > profileLimits[name]!))
      throw new GraphError(131009, `${name} may have at most ${profileLimits[name]} characters.`);
  }
  const { websites } = profile;
  if (websites !== undefined && (!Array.isArray(websites) || websites.length > 2))
    throw new GraphError(131009, 'websites must be a list of at most 2 URLs.');
  Object.assign(number.profile, profile);
  if (profile_picture_handle) number.profile.profile_picture_url = `https://pps.example/${number.id}.jpg`;
  simulation.world.changed();
  return done;
}

const changeable = ['pin', 'webhook_configuration', 'new_display_name'];

/** What remains of a number's calls is a change of its PIN, its display name or its callback address. */
export async function changeNumber(call: Call, setOverride: (url: string, token: string) => Promise<string>) {
  const { simulation, tenant, id, fields } = call;
  const number = requireNumber(simulation.world, tenant, id);
  const known = Object.keys(fields).every((name) => changeable.includes(name));
  if (!known || Object.keys(fields).length === 0)
    throw new GraphError(100, `One of ${changeable.join(', ')} is required.`);
  if (fields.new_display_name !== undefined) askForName(simulation, number, fields.new_display_name);
  if (fields.pin !== undefined) {
    if (!pinForm.test(String(fields.pin))) throw new GraphError(100, 'pin must be six digits.');
    setPin(number, String(fields.pin));
    const value = { display_phone_number: number.number, event: 'PIN_CHANGED', requester: tenant.businessId };
    const timeS = Math.floor(simulation.timeline.nowMs() / 1000);
    simulation.notify({ wabaId: number.wabaId, field: 'security', kind: 'value', value, timeS });
  }
  const webhook = fields.webhook_configuration;
  if (webhook !== undefined) {
    const { override_callback_uri: url = '', verify_token: token = '' } = webhook;
    number.overrideUrl = url === '' ? null : await setOverride(url, token);
  }
  simulation.world.changed();
  return done;
}

export function readEncryption({ simulation, tenant, id }: Call) {
  const { publicKey } = requireNumber(simulation.world, tenant, id);
  if (publicKey === null) return { data: [] };
  return { data: [{ business_public_key: publicKey, business_public_key_signature_status: 'VALID' }] };
}

export function setEncryption({ simulation, tenant, id, fields }: Call) {
  const number = requireNumber(simulation.world, tenant, id);
  if (!/^-----BEGIN PUBLIC KEY-----/.test(String(fields.business_public_key ?? '')))
    throw new GraphError(100, 'business_public_key must be an RSA key in PEM.');
  number.publicKey = fields.business_public_key;
  simulation.world.changed();
  return done;
}

/** Coexistence: each kind of data is handed over once. */
export function syncAppData({ simulation, tenant, id, fields }: Call) {
  const number = requireNumber(simulation.world, tenant, id);
  const { sync_type: type } = fields;
  if (!['smb_app_state_sync', 'history'].includes(type)) throw new GraphError(100, 'sync_type is not known.');
  if (!number.isOnBizApp) throw unknownObject(id);
  if (simulation.timeline.nowMs() > number.onboardedMs + 86_400_000)
    throw new GraphError(2593108, 'The 24 hours for the synchronisation are over.');
  if (number.syncs.includes(type))
    throw new GraphError(2593107, 'The synchronisation was already requested.');
  number.syncs.push(type);
  simulation.world.changed();
  return { messaging_product: 'whatsapp', request_id: simulation.random.word(20) };
}
