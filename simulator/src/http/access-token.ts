// Sandbox access tokens describe what they open: an account's sandbox needs no call to the simulator when it is created,
// and a simulator that lost its memory knows again whose numbers these are as soon as one is used.

export type SandboxPortfolio = {
  businessId: string;
  wabaId: string;
  phoneNumbers: { id: string /** Digits, without a plus. */; number: string; name: string }[];
  /** Which time access was granted: revoking ends all grants so far, and a signup makes the next. The first has none. */
  grant?: number;
};

/** The solution partner of every sandbox, whose credit line can pay for its businesses. Its token opens what a partner sees. */
export const sandboxPartner = {
  businessId: '300000000000001',
  creditLineId: '310000000000001',
  accessToken: 'SIM-PARTNER',
};

const prefix = 'SIM.';

export function sandboxToken(portfolio: SandboxPortfolio): string {
  return prefix + Buffer.from(JSON.stringify(portfolio)).toString('base64url');
}

const isId = (value: unknown): value is string => typeof value === 'string' && /^\d{5,20}$/.test(value);

/** Null for a token of any other form. */
export function readSandboxToken(token: string): SandboxPortfolio | null {
  if (!token.startsWith(prefix)) return null;
  try {
    const { businessId, wabaId, phoneNumbers, grant } = JSON.parse(
      Buffer.from(token.slice(prefix.length), 'base64url').toString(),
    );
    if (!isId(businessId) || !isId(wabaId) || !Array.isArray(phoneNumbers) || phoneNumbers.length > 100) {
      return null;
    }
    const sound = phoneNumbers.every(
      ({ id, number, name }) => isId(id) && /^\d{5,15}$/.test(number) && typeof name === 'string',
    );
    if (!sound || (grant !== undefined && !Number.isSafeInteger(grant))) return null;
    return { businessId, wabaId, phoneNumbers, ...(grant !== undefined && { grant }) };
  } catch {
    return null; // not base64url of JSON of an object
  }
}
