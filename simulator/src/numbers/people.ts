// The people at the other end: how they are known to a portfolio, until when they may be written to freely, and what
// they do not want to receive.

export type Person = {
  waId: string;
  /** The business-scoped user id. */
  userId: string;
  name: string;
  username: string | null;
  /** Uses a username and shows no phone number. */
  hidesNumber: boolean;
};

export const dayMs = 86_400_000;

// For the country of a user id; enough to look right, and the longest prefix wins.
const countries: Record<string, string> = {
  '1': 'US',
  '7': 'RU',
  '20': 'EG',
  '27': 'ZA',
  '30': 'GR',
  '31': 'NL',
  '32': 'BE',
  '33': 'FR',
  '34': 'ES',
  '39': 'IT',
  '40': 'RO',
  '41': 'CH',
  '43': 'AT',
  '44': 'GB',
  '45': 'DK',
  '46': 'SE',
  '47': 'NO',
  '48': 'PL',
  '49': 'DE',
  '52': 'MX',
  '54': 'AR',
  '55': 'BR',
  '56': 'CL',
  '57': 'CO',
  '60': 'MY',
  '61': 'AU',
  '62': 'ID',
  '63': 'PH',
  '64': 'NZ',
  '65': 'SG',
  '66': 'TH',
  '81': 'JP',
  '82': 'KR',
  '84': 'VN',
  '86': 'CN',
  '90': 'TR',
  '91': 'IN',
  '92': 'PK',
  '212': 'MA',
  '234': 'NG',
  '254': 'KE',
  '351': 'PT',
  '353': 'IE',
  '420': 'CZ',
  '880': 'BD',
  '966': 'SA',
  '971': 'AE',
  '972': 'IL',
};

export const countryOf = (digits: string): string =>
  countries[digits.slice(0, 3)] ?? countries[digits.slice(0, 2)] ?? countries[digits.slice(0, 1)] ?? 'FR';

/** The digits the provider knows a number by, which need not be those that were dialled. */
export function normalise(digits: string): string {
  // Brazil: the ninth digit of mobiles outside the oldest area codes is left out.
  if (/^55(3[1-9]|[4-9]\d)9\d{8}$/.test(digits)) return digits.slice(0, 4) + digits.slice(5);
  if (/^52[2-9]\d{9}$/.test(digits)) return `521${digits.slice(2)}`;
  if (/^54[1-8]\d{9}$/.test(digits)) return `549${digits.slice(2)}`;
  return digits;
}

/** Whether what is remembered by owner and person is of this person, and of one of these owners; null for whoever's. */
export const pairOf = (key: string, waId: string, owners: ReadonlySet<string> | null): boolean =>
  key.endsWith(`/${waId}`) && (owners === null || owners.has(key.slice(0, -waId.length - 1)));

type Window = { openUntilMs: number; entryPointUntilMs: number; adClickMs: number | null };

const mostWindows = 500_000;

export type People = ReturnType<typeof createPeople>;

export function createPeople() {
  const told = new Map<string, Partial<Person>>(); // by waId: what a control call said of them
  const userIds = new Map<string, string>(); // by business/waId: an id that changed
  const waIds = new Map<string, string>(); // by that id
  const windows = new Map<string, Window>();
  const noMarketing = new Set<string>();

  // Derived and not stored, so that anybody can be written to and found again by either id.
  const derivedUserId = (businessId: string, waId: string) =>
    `${countryOf(waId)}.${businessId.slice(-3).padStart(3, '0')}${waId.padStart(15, '0')}`;

  const byPhone = (businessId: string, waId: string): Person => ({
    waId,
    userId: userIds.get(`${businessId}/${waId}`) ?? derivedUserId(businessId, waId),
    name: `Customer ${waId.slice(-4)}`,
    username: null,
    hidesNumber: false,
    ...told.get(waId),
  });

  const windowOf = (numberId: string, waId: string) => windows.get(`${numberId}/${waId}`);

  return {
    byPhone,
    byUserId(businessId: string, userId: string): Person {
      const waId = waIds.get(userId) ?? userId.replace(/\D/g, '').slice(-15).replace(/^0+/, '');
      return { ...byPhone(businessId, waId), userId };
    },
    /** What is known of a person from now on. */
    describe(waId: string, facts: Partial<Person>): void {
      told.set(waId, { ...told.get(waId), ...facts });
    },
    changeUserId(businessId: string, waId: string, userId: string): void {
      userIds.set(`${businessId}/${waId}`, userId);
      waIds.set(userId, waId);
    },
    /** An inbound message opens, or opens anew, 24 hours; one from an ad may open a free entry point, once answered. */
    heardFrom(numberId: string, waId: string, nowMs: number, fromAd: boolean): void {
      const key = `${numberId}/${waId}`;
      const known = windows.get(key);
      windows.delete(key); // set anew: the longest unheard of come first and are forgotten first
      windows.set(key, {
        openUntilMs: nowMs + dayMs,
        entryPointUntilMs: known?.entryPointUntilMs ?? 0,
        adClickMs: fromAd ? nowMs : (known?.adClickMs ?? null),
      });
      if (windows.size > mostWindows) windows.delete(windows.keys().next().value!);
    },
    /** The business writes: an answer within a day to a message from an ad makes 72 hours free. */
    answered(numberId: string, waId: string, nowMs: number): void {
      const window = windowOf(numberId, waId);
      if (window?.adClickMs == null) return;
      if (nowMs < window.adClickMs + dayMs) window.entryPointUntilMs = nowMs + 3 * dayMs;
      window.adClickMs = null;
    },
    /** A number has moved: whoever wrote to it may still be answered. */
    moveWindows(fromId: string, toId: string): void {
      for (const [key, window] of [...windows]) {
        if (!key.startsWith(`${fromId}/`)) continue;
        windows.delete(key);
        windows.set(`${toId}${key.slice(fromId.length)}`, window);
      }
    },
    closeWindow: (numberId: string, waId: string) => windows.delete(`${numberId}/${waId}`),
    isWindowOpen: (numberId: string, waId: string, nowMs: number) =>
      (windowOf(numberId, waId)?.openUntilMs ?? 0) > nowMs,
    entryPointUntilMs(numberId: string, waId: string, nowMs: number): number | null {
      const untilMs = windowOf(numberId, waId)?.entryPointUntilMs ?? 0;
      return untilMs > nowMs ? untilMs : null;
    },
    preferMarketing(businessId: string, waId: string, wanted: boolean): void {
      const key = `${businessId}/${waId}`;
      if (wanted) noMarketing.delete(key);
      else noMarketing.add(key);
    },
    refusesMarketing: (businessId: string, waId: string) => noMarketing.has(`${businessId}/${waId}`),
    /**
     * Forgets what numbers and portfolios know of a person; null for all of them. Tells what they were known by, and whether nobody
     * has heard from them now. Ids that are derived from the number hold its digits.
     */
    forgetPerson(waId: string, owners: ReadonlySet<string> | null): { ids: string[]; isUnknown: boolean } {
      const isTheirs = (key: string) => pairOf(key, waId, owners);
      const changed = [...userIds].filter(([key]) => isTheirs(key)).map(([, userId]) => userId);
      for (const memory of [userIds, windows])
        for (const key of [...memory.keys()]) if (isTheirs(key)) memory.delete(key);
      for (const key of [...noMarketing]) if (isTheirs(key)) noMarketing.delete(key);
      const isUnknown = ![...windows.keys()].some((key) => pairOf(key, waId, null));
      const ids = [...waIds].filter(
        ([userId, number]) => number === waId && (isUnknown || changed.includes(userId)),
      );
      for (const [userId] of ids) waIds.delete(userId);
      if (isUnknown) told.delete(waId);
      return { ids: [waId, ...ids.map(([userId]) => userId)], isUnknown };
    },
    forget(): void {
      for (const memory of [told, userIds, waIds, windows, noMarketing]) memory.clear();
    },
  };
}
