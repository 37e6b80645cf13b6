// The number and the account it goes to: bought or taken over from another carrier, and opened in the operator's portfolio.
import type { TenantTx } from '../../../platform/db/database.ts';
import { Refused } from '../../provider/index.ts';
import { changeApplication, lockApplication, moveApplication, tell } from '../applications/applications.ts';
import { openDetails } from '../applications/details.ts';
import { applicationEvents } from '../events.ts';
import type { NumberOrder } from '../ports.ts';
import { sealFor } from './progress.ts';
import { byStaff, goOn, once, pause, type Step, vendorOf, vendorValue, type Work } from './work.ts';

const dayMs = 24 * 60 * 60_000;
/** How long a carrier may take to give a number up. */
const longestOrderMs = 60 * dayMs;

export const obtainNumber: Step = async (work) => {
  const { application, progress } = work;
  const call = application.numberSource === 'PORT' ? 'PORT_IN' : 'ORDER';
  if (progress.number !== null) return haveNumber(work, progress.number, call);
  const ordered = await orderOf(work);
  if (ordered === null) {
    const task = call === 'PORT_IN' ? 'PORT_NUMBER' : 'ORDER_NUMBER';
    return byStaff(work, task, (t) => showPorting(t, work));
  }
  const { state, number, reason } = ordered;
  if (state === 'REFUSED')
    throw new Refused('PROVIDER_PERMANENT_ERROR', reason ?? 'The number is not to be had.');
  if (state === 'READY') return haveNumber(work, number!, call);
  if (work.context.now().getTime() - Date.parse(application.updatedAt) > longestOrderMs)
    throw new Refused('PROVIDER_PERMANENT_ERROR', 'The carrier has not given the number up within 60 days.');
  return { ...pause(work, application.updatedAt), apply: (t) => showPorting(t, work) };
};

/** Null where the operator's people order it. */
async function orderOf(work: Work): Promise<NumberOrder | null> {
  const { application, progress } = work;
  const { vendor, place } = vendorOf(work);
  const reference = progress.vendorReference;
  const look = async () => {
    const known = vendorValue(await vendor.status(place, reference));
    return known?.value ? { order: known.value } : null;
  };
  const { order } = await once<{ order: NumberOrder | null }>(
    work,
    application.numberSource === 'PORT' ? 'PORT_IN' : 'ORDER',
    look,
    async () => ({
      order: application.numberSource === 'PORT' ? await portIn(work) : await purchase(work),
    }),
  );
  return order;
}

async function portIn(work: Work): Promise<NumberOrder | null> {
  const { application, progress, context } = work;
  const { vendor, place } = vendorOf(work);
  const details = await context.read(async (t) => openDetails(t, application.sid, application.details));
  const asked = vendorValue(
    await vendor.portIn(place, {
      reference: progress.vendorReference,
      country: application.country,
      number: application.requestedNumber!,
      handoverPhoneNumber: details?.handoverPhoneNumber ?? null,
    }),
  );
  return asked?.value ?? null;
}

async function purchase(work: Work): Promise<NumberOrder | null> {
  const { application, progress } = work;
  const { country, requestedNumber: wish } = application;
  const { vendor, place } = vendorOf(work);
  const found = vendorValue(await vendor.search(place, { country, wish }));
  if (found === null) return null;
  const [number] = found.value;
  if (number === undefined)
    throw new Refused('PROVIDER_PERMANENT_ERROR', `No number is to be had in ${country}.`);
  const asked = vendorValue(
    await vendor.order(place, { reference: progress.vendorReference, country, number }),
  );
  return asked?.value ?? null;
}

const haveNumber = (work: Work, number: string, ends: 'ORDER' | 'PORT_IN') =>
  goOn(work, { step: 'ACCOUNT', number }, { ends, also: (t) => showNumber(t, work, number) });

async function showNumber(t: TenantTx, { application }: Work, phoneNumber: string): Promise<void> {
  const row = await lockApplication(t, application.sid);
  const change = { phoneNumber };
  const shown =
    row.state === 'PORTING'
      ? await moveApplication(t, row, 'PROVISIONING', change)
      : await changeApplication(t, row, change);
  tell(t, applicationEvents.updated, shown);
}

/** While another carrier is waited for. */
async function showPorting(t: TenantTx, { application }: Work): Promise<void> {
  const row = await lockApplication(t, application.sid);
  if (application.numberSource !== 'PORT' || row.state !== 'PROVISIONING') return;
  tell(t, applicationEvents.updated, await moveApplication(t, row, 'PORTING'));
}

/** In the sandbox accounts are made up; live the provider has no call for it, and somebody opens one in its manager. */
export const openAccount: Step = async (work) => {
  const { context, hooks, livemode, progress } = work;
  const { applicationSid } = progress;
  const keep = (accessToken: string, providerBusinessId: string, providerWabaId: string) =>
    goOn(work, (t) => ({
      step: 'ADD',
      providerBusinessId,
      providerWabaId,
      accessToken: sealFor(t, applicationSid, 'access token', accessToken),
    }));
  if (!livemode) {
    const { accessToken, businessId, wabaId } = hooks.sandbox.newWaba([]);
    return keep(accessToken, businessId, wabaId);
  }
  const partner = context.ports.providerPartner.live;
  if (!partner)
    throw new Refused('CAPABILITY_UNAVAILABLE', 'The operator is no partner of the provider any more.');
  if (progress.providerWabaId === null) return byStaff(work, 'CREATE_ACCOUNT');
  return keep(partner.accessToken, partner.businessId, progress.providerWabaId);
};
