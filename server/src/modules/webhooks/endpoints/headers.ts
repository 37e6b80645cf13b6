// Headers of an account's own, sent with every request to its endpoint: for gateways that want a token of theirs. Values are
// secrets: sealed at rest, sent to the endpoint and shown to nobody.
import type { TenantTx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/query.ts';
import { type ErrorDetail, invalid } from '../../../platform/errors/errors.ts';
import { connectionHeaders } from '../../../platform/outbound/outbound.ts';
import type { Sealer } from '../../../platform/sealing.ts';
import { audit } from '../../audit/index.ts';
import { loadEndpoint, lockEndpoint, refuseDisabled } from './endpoints.ts';
import { type Endpoint, type Header, type HeaderChange, mask } from './schema.ts';

const mostBytes = 8 * 1024;
// Ours, or of those who stand between us and the endpoint: whoever could set them could pretend to be either.
const reserved = new Set([
  ...connectionHeaders,
  ...'content-type content-encoding user-agent date via forwarded x-real-ip http2-settings'.split(' '),
]);
const reservedPrefixes = ['x-service-', 'x-forwarded-', 'proxy-'];

const isReserved = (name: string) =>
  reserved.has(name) || reservedPrefixes.some((prefix) => name.startsWith(prefix));

export function judgeHeaders({ headers }: HeaderChange): void {
  const names = headers.map(({ name }) => name.toLowerCase());
  const details = headers.flatMap(({ value }, i): ErrorDetail[] => [
    ...(isReserved(names[i]!) ? [{ path: `headers[${i}].name`, issue: 'is reserved' }] : []),
    ...(names.indexOf(names[i]!) < i ? [{ path: `headers[${i}].name`, issue: 'is given twice' }] : []),
    ...(value === mask
      ? [{ path: `headers[${i}].value`, issue: 'is what answers show in place of a value; give the value' }]
      : []),
  ]);
  const bytes = headers.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
  if (bytes > mostBytes)
    details.push({ path: 'headers', issue: `must be at most ${mostBytes} bytes in all` });
  if (details.length > 0) throw invalid(...details);
}

/** Puts these in the place of all there were. */
export async function setHeaders(t: TenantTx, sid: string, { headers }: HeaderChange): Promise<Endpoint> {
  refuseDisabled(await lockEndpoint(t, sid));
  const names = headers.map(({ name }) => name);
  const sealed = headers.length === 0 ? null : t.sealer.seal(JSON.stringify(headers), contextOf(sid));
  await t.run(sql`
    update webhook_endpoints set header_names = ${names}::text[], sealed_headers = ${sealed}, updated_at = ${t.now}
     where account_sid = ${t.accountSid} and sid = ${sid}`);
  audit(t, { action: 'webhook.headers_changed', resource: sid, facts: { names } });
  return loadEndpoint(t, sid);
}

const contextOf = (endpointSid: string) => `webhook headers:${endpointSid}`;

/** As they are sent. */
export function openHeaders(sealer: Sealer, sid: string, sealed: Buffer | null): Record<string, string> {
  if (sealed === null) return {};
  const headers: Header[] = JSON.parse(sealer.open(sealed, contextOf(sid)).toString('utf8'));
  return Object.fromEntries(headers.map(({ name, value }) => [name, value]));
}

/** As they are shown. */
export const maskHeaders = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, mask]));
