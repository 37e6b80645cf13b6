// From a recipient to what is submitted for them: the body of their variant, filled with what is known of them.
import type { Tenant } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { judgeMessage } from '../../messages/index.ts';
import { bodyMaker, type Person } from '../draft/bodies.ts';
import { messagesOf } from '../draft/definition.ts';
import { variantFor } from '../draft/variants.ts';
import type { CampaignRow } from '../resource/rows.ts';
import { campaignPrincipal } from './principal.ts';

/** `contactSid` is the recipient as the audience names them, and the person whom that stands for now. */
export function submissionsOf(tenant: Tenant, { sid: campaignSid, definition }: CampaignRow) {
  const author = campaignPrincipal(tenant, campaignSid);
  const bodyOf = messagesOf(definition).map(({ message }) => bodyMaker(definition, message));
  return (contactSid: string, person: Person | ApiError) => {
    const variant = variantFor(campaignSid, contactSid, definition.variants);
    const body = person instanceof ApiError ? person : bodyOf[variant ?? 0]!(person);
    return { variant, body: body instanceof ApiError ? body : judgeMessage(body), author, campaignSid };
  };
}
