// WABAs, the app, its subscriptions and its tokens.

import { handshake } from '../callbacks/callbacks.ts';
import { GraphError, unknownObject } from '../errors.ts';
import type { Call } from '../http/http.ts';
import { choose } from '../http/listing.ts';
import { readAnalytics } from '../messages/analytics.ts';
import type { Simulation } from '../simulation.ts';
import { requireWaba, type Waba } from '../world.ts';
import { fundingOf } from './credit-lines.ts';

const done = { success: true } as const;
const defaultFields = ['name', 'currency', 'timezone_id', 'message_template_namespace'];

/** What comes back of an account that stands inside another object. */
export const wabaSummary = (waba: Waba) => ({
  id: waba.id,
  name: waba.name,
  currency: waba.currency,
  timezone_id: '52',
  message_template_namespace: `ns_${waba.id}`,
});

export const appOf = ({ options }: Simulation) => ({
  id: options.appId,
  link: 'https://simulator.example/',
  name: 'Simulator',
});

export function readWaba({ simulation, tenant, fields }: Call, waba: Waba) {
  const view = {
    ...wabaSummary(waba),
    ...fundingOf(tenant, waba),
    account_review_status: waba.reviewStatus,
    business_verification_status: waba.verification,
    country: waba.country,
    ownership_type: 'CLIENT_OWNED',
    primary_business_location: waba.country,
    status: waba.banned ? 'DISABLED' : 'ACTIVE',
    marketing_messages_onboarding_status: waba.marketingOnboarding,
    marketing_messages_lite_api_status: waba.marketingOnboarding === 'ONBOARDED' ? 'ONBOARDED' : 'INELIGIBLE',
    disable_marketing_messages_on_cloud_api: waba.cloudMarketingDisabled,
    health_status: {
      can_send_message: waba.banned ? 'BLOCKED' : waba.paymentOk ? 'AVAILABLE' : 'LIMITED',
      entities: [
        {
          entity_type: 'WABA',
          id: waba.id,
          can_send_message: waba.banned ? 'BLOCKED' : 'AVAILABLE',
          errors: [
            ...(waba.banned ? [healthError(141014, 'The account is banned.')] : []),
            ...(waba.paymentOk ? [] : [healthError(141006, 'There is an error with the payment method.')]),
          ],
        },
        { entity_type: 'APP', id: simulation.options.appId, can_send_message: 'AVAILABLE' },
      ],
    },
  };
  const analytics = readAnalytics(simulation, waba, fields.fields);
  return choose(
    { ...view, ...(analytics && { pricing_analytics: analytics }) },
    fields.fields,
    defaultFields,
  );
}

const healthError = (error_code: number, error_description: string) => ({
  error_code,
  error_description,
  possible_solution: 'See the business manager.',
});

export function changeWaba({ simulation, fields }: Call, waba: Waba) {
  const {
    disable_marketing_messages_on_cloud_api: disable,
    is_enabled_for_insights: insights,
    ...rest
  } = fields;
  const [stray] = Object.keys(rest);
  if (stray) throw new GraphError(100, `Unexpected key "${stray}" on param "body".`);
  if (disable !== undefined) waba.cloudMarketingDisabled = disable === true || disable === 'true';
  if (insights === false || insights === 'false')
    throw new GraphError(200006, 'Insights cannot be switched off.');
  simulation.world.changed();
  return done;
}

/** The catalogs connected to the account. */
export function listCatalogs({ simulation, tenant, id }: Call) {
  const { catalogIds } = requireWaba(simulation.world, tenant, id);
  return { data: catalogIds.map((catalogId) => ({ id: catalogId, name: 'Catalog' })) };
}

/** The address, once whoever answers there has proven to know the token. */
export async function verified(simulation: Simulation, url: string, token: string): Promise<string> {
  if (!URL.canParse(url) || url.length > 200)
    throw new GraphError(100, 'The callback URL must have at most 200 characters.');
  if (!(await handshake(url, token, simulation.random.word(12))))
    throw new GraphError(100, 'Callback verification failed: the challenge did not come back.', {
      subcode: 2200,
    });
  return url;
}

export async function subscribe({ simulation, tenant, id, fields }: Call) {
  const waba = requireWaba(simulation.world, tenant, id);
  const { override_callback_uri: url, verify_token: token = '' } = fields;
  const overrideUrl = url ? await verified(simulation, url, token) : null;
  waba.subscribed = true;
  waba.overrideUrl = overrideUrl;
  simulation.world.changed();
  return done;
}

export function unsubscribe({ simulation, tenant, id }: Call) {
  const waba = requireWaba(simulation.world, tenant, id);
  waba.subscribed = false;
  waba.overrideUrl = null;
  simulation.world.changed();
  return done;
}

export function listSubscribed({ simulation, tenant, id }: Call) {
  const waba = requireWaba(simulation.world, tenant, id);
  const app = appOf(simulation);
  const ours = {
    id: app.id,
    whatsapp_business_api_data: app,
    ...(waba.overrideUrl && { override_callback_uri: waba.overrideUrl }),
  };
  const others = waba.otherAppIds.map((other) => ({
    id: other,
    whatsapp_business_api_data: { ...app, id: other, name: 'Another app' },
  }));
  return { data: [...others, ...(waba.subscribed ? [ours] : [])] };
}

/** The app's own callback address. */
export async function setSubscription(simulation: Simulation, id: string, fields: Record<string, string>) {
  if (id !== simulation.options.appId) throw unknownObject(id);
  if (fields.object !== 'whatsapp_business_account')
    throw new GraphError(100, 'object must be whatsapp_business_account.');
  simulation.appCallbackUrl = await verified(
    simulation,
    fields.callback_url ?? '',
    fields.verify_token ?? '',
  );
  return done;
}
