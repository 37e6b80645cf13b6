// How far the work on an application has come. Each step is written down before the next is worked on; what the work must keep to
// itself is sealed.
import { randomInt } from 'node:crypto';
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';

/** In the order in which they are done. */
export const steps = [
  'NUMBER',
  'ACCOUNT',
  'ADD',
  'REQUEST_CODE',
  'VERIFY',
  'REGISTER',
  'SUBSCRIBE',
  'NAME',
  'JOIN',
  'DONE',
] as const;
export type StepName = (typeof steps)[number];

export type Progress = {
  applicationSid: string;
  step: StepName;
  vendorReference: string;
  number: string | null;
  providerBusinessId: string | null;
  providerWabaId: string | null;
  accessToken: Buffer | null;
  phoneNumberId: string | null;
  pin: Buffer | null;
  code: Buffer | null;
  codeRequestedAt: string | null;
  codesTried: number;
  registeredName: string | null;
};

const columns = sql`application_sid as "applicationSid", step, vendor_reference as "vendorReference", number,
  provider_business_id as "providerBusinessId", provider_waba_id as "providerWabaId", access_token as "accessToken",
  phone_number_id as "phoneNumberId", pin, code, code_requested_at as "codeRequestedAt", codes_tried as "codesTried",
  registered_name as "registeredName"`;

const here = (t: TenantTx, sid: string) =>
  sql`account_sid = ${t.accountSid} and livemode = ${t.livemode} and application_sid = ${sid}`;

/**
 * Begins the work, or goes on where an earlier attempt stopped. An order that came to nothing is not asked after again: the number
 * of a new attempt is a new order.
 */
export const beginProgress = (t: TenantTx, sid: string, attempt: number): Promise<number> =>
  t.run(sql`
    insert into managed_provisioning as p (account_sid, livemode, application_sid, step, vendor_reference, created_at, updated_at)
    values (${t.accountSid}, ${t.livemode}, ${sid}, 'NUMBER', ${`${sid}-${attempt}`}, ${t.now}, ${t.now})
    on conflict (account_sid, application_sid) do update set codes_tried = 0, code = null, updated_at = ${t.now},
      vendor_reference = case when p.step = 'NUMBER' then excluded.vendor_reference else p.vendor_reference end,
      step = case when p.step = 'VERIFY' then 'REQUEST_CODE' else p.step end`);

export async function findProgress(t: TenantTx, sid: string): Promise<Progress | null> {
  return (
    (await t.maybe<Progress>(sql`select ${columns} from managed_provisioning where ${here(t, sid)}`)) ?? null
  );
}

export const readProgress = (t: TenantTx, sid: string): Promise<Progress> =>
  t.one<Progress>(sql`select ${columns} from managed_provisioning where ${here(t, sid)}`);

export type ProgressChange = Partial<Omit<Progress, 'applicationSid' | 'vendorReference'>>;

/** Writes facts down, and moves the work on where a step is named. */
export async function advance(t: TenantTx, from: Progress, change: ProgressChange): Promise<Progress> {
  const next = { ...from, ...change };
  return t.one<Progress>(sql`
    update managed_provisioning set step = ${next.step}, number = ${next.number},
      provider_business_id = ${next.providerBusinessId}, provider_waba_id = ${next.providerWabaId},
      access_token = ${next.accessToken}, phone_number_id = ${next.phoneNumberId}, pin = ${next.pin}, code = ${next.code},
      code_requested_at = ${next.codeRequestedAt}, codes_tried = ${next.codesTried},
      registered_name = ${next.registeredName}, updated_at = ${t.now}
     where ${here(t, from.applicationSid)} and step = ${from.step}
    returning ${columns}`);
}

type Secret = 'access token' | 'PIN' | 'code';
const contextOf = (t: TenantTx, sid: string, what: Secret) =>
  `managed provisioning/${t.accountSid}/${t.livemode}/${sid}/${what}`;

export const sealFor = (t: TenantTx, sid: string, what: Secret, text: string): Buffer =>
  t.sealer.seal(text, contextOf(t, sid, what));
export const openOf = (t: TenantTx, sid: string, what: Secret, sealed: Buffer): string =>
  t.sealer.open(sealed, contextOf(t, sid, what)).toString('utf8');

export const newPin = (): string => randomInt(1_000_000).toString().padStart(6, '0');
