// What a sign-in knows of the browser it comes from.
import type { Input, Open } from '../../../platform/http/operations/operation.ts';
import { refuseForeignOrigin } from './authenticate.ts';

export type Browser = { address: string; userAgent: string; cookie: string | undefined };

/** A page of another site must not sign its visitor in as somebody else. */
export function browserOf(call: Open, { address, header }: Input<unknown, unknown, unknown>): Browser {
  refuseForeignOrigin(header('origin') ?? null, new URL(call.site.publicUrl).origin);
  return { address, userAgent: header('user-agent') ?? '', cookie: header('cookie') };
}
