// Phone numbers, their profiles, and whom they do not want to hear from.
import type {
  BusinessProfile,
  NewPhoneNumber,
  Provider,
  ProviderPhoneNumber,
} from '../../modules/provider/index.ts';
import { type Client, succeeded } from './client.ts';
import type { Doing } from './errors.ts';
import { pageOf, pageQuery } from './pages.ts';
import { fieldsOf, idOf, listOf, textOf } from './reading.ts';

type PhoneNumberCalls = Pick<
  Provider,
  | 'listPhoneNumbers'
  | 'getPhoneNumber'
  | 'addPhoneNumber'
  | 'requestVerificationCode'
  | 'verifyPhoneNumber'
  | 'registerPhoneNumber'
  | 'deregisterPhoneNumber'
  | 'setTwoStepPin'
  | 'getBusinessProfile'
  | 'updateBusinessProfile'
  | 'blockUsers'
  | 'unblockUsers'
>;

const manage: Doing = { purpose: 'manage' };
const whatsapp = { messaging_product: 'whatsapp' };
const fields =
  'id,display_phone_number,verified_name,status,quality_rating,throughput,' +
  'whatsapp_business_manager_messaging_limit,name_status,is_on_biz_app,code_verification_status';
const profileFields = 'about,address,description,email,websites,vertical,profile_picture_url';

export const phoneNumberCalls = (client: Client): PhoneNumberCalls => {
  const command = (method: 'POST' | 'DELETE', path: string, json: object, doing: Doing = manage) =>
    ({ method, path, json, doing, whenLost: 'again', read: succeeded }) as const;
  return {
    listPhoneNumbers: (connection, wabaId, after) =>
      client.call(connection, {
        method: 'GET',
        path: `${wabaId}/phone_numbers`,
        query: pageQuery(fields, after),
        doing: manage,
        whenLost: 'again',
        read: (answer) => pageOf(answer, readPhoneNumber),
      }),
    getPhoneNumber: (connection, phoneNumberId) =>
      client.call(connection, {
        method: 'GET',
        path: phoneNumberId,
        query: { fields },
        doing: manage,
        whenLost: 'again',
        read: (answer) => readPhoneNumber(answer) ?? undefined,
      }),
    addPhoneNumber: (connection, wabaId, number) =>
      client.call(connection, {
        method: 'POST',
        path: `${wabaId}/phone_numbers`,
        json: newNumberBody(number),
        doing: manage,
        whenLost: 'unknown',
        read: (answer) => {
          const phoneNumberId = idOf(answer.id);
          return phoneNumberId === null ? undefined : { phoneNumberId };
        },
      }),
    requestVerificationCode: (connection, phoneNumberId, { method, language }) =>
      client.call(
        connection,
        command('POST', `${phoneNumberId}/request_code`, { code_method: method, language }),
      ),
    // In the body: an address is written down in more places than anybody knows.
    verifyPhoneNumber: (connection, phoneNumberId, code) =>
      client.call(connection, command('POST', `${phoneNumberId}/verify_code`, { code })),
    registerPhoneNumber: (connection, phoneNumberId, pin) =>
      client.call(
        connection,
        command('POST', `${phoneNumberId}/register`, { ...whatsapp, pin }, { purpose: 'register' }),
      ),
    deregisterPhoneNumber: (connection, phoneNumberId) =>
      client.call(
        connection,
        command('POST', `${phoneNumberId}/deregister`, whatsapp, { purpose: 'deregister' }),
      ),
    setTwoStepPin: (connection, phoneNumberId, pin) =>
      client.call(connection, command('POST', phoneNumberId, { pin })),
    getBusinessProfile: (connection, phoneNumberId) =>
      client.call(connection, {
        method: 'GET',
        path: `${phoneNumberId}/whatsapp_business_profile`,
        query: { fields: profileFields },
        doing: manage,
        whenLost: 'again',
        read: (answer) => (Array.isArray(answer.data) ? readProfile(listOf(answer.data)[0]) : undefined),
      }),
    updateBusinessProfile: (connection, phoneNumberId, profile) =>
      client.call(
        connection,
        command('POST', `${phoneNumberId}/whatsapp_business_profile`, profileBody(profile)),
      ),
    blockUsers: (connection, phoneNumberId, users) =>
      client.call(connection, blocking('POST', phoneNumberId, users)),
    unblockUsers: (connection, phoneNumberId, users) =>
      client.call(connection, blocking('DELETE', phoneNumberId, users)),
  };
};

function readPhoneNumber(value: unknown): ProviderPhoneNumber | null {
  const found = fieldsOf(value);
  const id = idOf(found.id);
  if (id === null) return null;
  return {
    id,
    displayPhoneNumber: textOf(found.display_phone_number) ?? '',
    verifiedName: textOf(found.verified_name) ?? '',
    status: textOf(found.status) ?? 'UNKNOWN',
    qualityRating: textOf(found.quality_rating) ?? 'UNKNOWN',
    throughputLevel: textOf(fieldsOf(found.throughput).level) ?? 'STANDARD',
    messagingLimit: textOf(found.whatsapp_business_manager_messaging_limit),
    nameStatus: textOf(found.name_status),
    isOnBizApp: found.is_on_biz_app === true,
    codeVerificationStatus: textOf(found.code_verification_status),
  };
}

function newNumberBody({ countryCode, number, verifiedName, migrate }: NewPhoneNumber): object {
  return {
    cc: countryCode,
    phone_number: number,
    ...(verifiedName !== undefined && { verified_name: verifiedName }),
    ...(migrate && { migrate_phone_number: true }),
  };
}

function readProfile(value: unknown): BusinessProfile {
  const found = fieldsOf(value);
  const texts = Object.fromEntries(
    (['about', 'address', 'description', 'email', 'vertical'] as const)
      .map((name) => [name, textOf(found[name])] as const)
      .filter(([, text]) => text !== null),
  );
  const websites = listOf(found.websites)
    .map(textOf)
    .filter((url) => url !== null);
  return { ...texts, ...(websites.length > 0 && { websites }) };
}

function profileBody({ profilePictureHandle, ...profile }: BusinessProfile): object {
  return {
    ...whatsapp,
    ...profile,
    ...(profilePictureHandle !== undefined && { profile_picture_handle: profilePictureHandle }),
  };
}

const bsuidForm = /^[A-Z]{2}\./;

/** Users are named by phone number or by BSUID. */
function blocking(method: 'POST' | 'DELETE', phoneNumberId: string, users: string[]) {
  return {
    method,
    path: `${phoneNumberId}/block_users`,
    json: {
      ...whatsapp,
      block_users: users.map((user) => (bsuidForm.test(user) ? { user_id: user } : { user })),
    },
    doing: manage,
    whenLost: 'again',
    // The answer lists who was added or removed; some of them failing is an error of its own.
    read: (answer: object) => ('block_users' in answer || 'success' in answer ? null : undefined),
  } as const;
}
