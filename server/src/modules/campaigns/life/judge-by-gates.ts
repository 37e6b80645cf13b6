// What stands against every message of a campaign is told when it is launched, in the words of the gate that would refuse them all: a
// template that was rejected, a sender that cannot send. What stands against single people is found when each is admitted.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError, type ErrorCode, type ErrorDetail } from '../../../platform/errors/errors.ts';
import { mailedContacts } from '../../contacts/index.ts';
import { judgeMessage, preflightMessages } from '../../messages/index.ts';
import { memberSids } from '../../segments/index.ts';
import { attributesOf, bodyMaker } from '../draft/bodies.ts';
import { messagesOf } from '../draft/definition.ts';
import type { CampaignRow } from '../resource/rows.ts';
import { campaignPrincipal } from '../run/principal.ts';
import type { GivenAudience } from '../schema.ts';

// So many are looked at for one whose variables are all known.
const looks = 10;
const ofAll = new Set(['account', 'sender', 'content', 'category']);

export async function judgeByGates(t: TenantTx, row: CampaignRow, audience: GivenAudience): Promise<void> {
  const sids =
    audience.contactSids?.slice(0, looks) ?? (await memberSids(t, audience.segmentSid!, '', looks));
  const people = [...(await mailedContacts(t, sids, attributesOf(row.definition))).values()];
  const author = campaignPrincipal(t, row.sid);
  const submissions = messagesOf(row.definition).flatMap(({ path, message }) => {
    const bodyOf = bodyMaker(row.definition, message);
    const bodies = people.map((person) => judgeMessage(bodyOf(person)));
    const body = bodies.find((one) => !(one instanceof ApiError));
    return body === undefined || body instanceof ApiError
      ? []
      : [{ path, body, author, campaignSid: row.sid }];
  });
  const found = await preflightMessages(t, submissions);
  for (const [at, one] of found.entries()) {
    if (one instanceof ApiError) throw one;
    const check = one.checks.find(({ gate, outcome }) => ofAll.has(gate) && outcome === 'fail');
    if (!check) continue;
    const { path } = submissions[at]!;
    const details = ((check.evidence.details ?? []) as ErrorDetail[]).map((detail) => ({
      ...detail,
      path: `${path}.${detail.path}`,
    }));
    throw new ApiError(check.code as ErrorCode, details.length > 0 ? { details } : {});
  }
}
