import { ApiError } from '../../platform/errors/errors.ts';
import { accountPath, Closed, ListOf, Sid, sample } from '../../platform/http/input/schema.ts';
import { Answer, created, operation } from '../../platform/http/operations/operation.ts';
import { Operation } from '../operations/index.ts';
import { changeSettings, getSettings } from './life/account-settings.ts';
import {
  changeCampaign,
  createCampaign,
  deleteCampaign,
  getCampaign,
  listCampaigns,
} from './life/campaigns.ts';
import { launchCampaign } from './life/launch.ts';
import { listRecipients } from './life/list-recipients.ts';
import { cancelCampaign, pauseCampaign, resumeCampaign } from './life/stopping.ts';
import { previewCampaign } from './preview/preview-campaign.ts';
import { CampaignPreview } from './preview/schema.ts';
import { resultsOf } from './results/results.ts';
import { CampaignResults } from './results/schema.ts';
import {
  campaignSample,
  launchedSample,
  newCampaignSample,
  recipientSample,
  settingsSample,
} from './samples.ts';
import {
  Campaign,
  CampaignChange,
  CampaignQuery,
  CampaignRecipient,
  CampaignSettings,
  NewCampaign,
  RecipientQuery,
  SettingsChange,
} from './schema.ts';

const tag = 'Campaigns';
const all = '/v1/accounts/{accountSid}/campaigns';
const one = `${all}/{campaignSid}`;
const settings = '/v1/accounts/{accountSid}/campaign-settings';
const read = ['messages:read'] as const;
const write = ['messages:send'] as const;
const campaignPath = Closed({ ...accountPath, campaignSid: Sid('CP') });

sample(Campaign, campaignSample);
sample(CampaignRecipient, recipientSample);
sample(CampaignSettings, settingsSample);

export const operations = [
  operation({
    id: 'listCampaigns',
    method: 'GET',
    path: all,
    summary: 'List campaigns',
    description: 'The newest first, in any state or in the one that is asked for.',
    tag,
    access: read,
    params: Closed(accountPath),
    query: CampaignQuery,
    responses: { 200: ListOf(Campaign) },
    handler: (t, { query, pager }) => listCampaigns(t, query, pager),
  }),
  operation({
    id: 'createCampaign',
    method: 'POST',
    path: all,
    summary: 'Draft a campaign',
    description:
      'To the members of a segment or up to 10,000 contacts, with one message or two to four variants whose weights sum to 100. ' +
      'Texts name variables, `{{firstName}}`, which are filled from attributes of each contact or their fallback. With ' +
      '`localTime` the clock time of `sendAt` counts in each recipient’s own time zone. In their `quietHours` nobody is ' +
      'written to. The `budget` counts each message at the most it can cost. Everything that is wrong is told at once.',
    tag,
    access: write,
    idempotency: 'required',
    params: Closed(accountPath),
    body: NewCampaign,
    responses: { 201: Campaign },
    example: newCampaignSample,
    async handler(t, { body }) {
      const campaign = await createCampaign(t, body);
      return created(campaign, `/v1/accounts/${t.accountSid}/campaigns/${campaign.sid}`);
    },
  }),
  operation({
    id: 'getCampaign',
    method: 'GET',
    path: one,
    summary: 'Get a campaign and how far it is',
    description:
      '`progress` counts its recipients. The operation `operationSid` names can be followed as a stream of events.',
    tag,
    access: read,
    params: campaignPath,
    responses: { 200: Campaign },
    handler: (t, { params }) => getCampaign(t, params.campaignSid),
  }),
  operation({
    id: 'updateCampaign',
    method: 'PATCH',
    path: one,
    summary: 'Change the draft of a campaign',
    description:
      'What is left out stays as it was, null takes away. What was launched does not change any more: CONFLICT.',
    tag,
    access: write,
    idempotency: 'required',
    params: campaignPath,
    body: CampaignChange,
    responses: { 200: Campaign },
    example: { name: 'Spring offer, second try', messagesPerMinute: 60, quietHours: null },
    handler: (t, { params, body }) => changeCampaign(t, params.campaignSid, body),
  }),
  operation({
    id: 'deleteCampaign',
    method: 'DELETE',
    path: one,
    summary: 'Delete the draft of a campaign',
    description: 'Only a draft is deleted; what was launched is canceled instead, and kept.',
    tag,
    access: write,
    params: campaignPath,
    responses: { 204: null },
    handler: (t, { params }) => deleteCampaign(t, params.campaignSid),
  }),
  operation({
    id: 'previewCampaign',
    method: 'POST',
    path: `${one}/preview`,
    summary: 'See what launching the draft would do',
    description:
      'Judges the whole audience by the gates of sending, in the order of a launch and without storing anything: whom each gate would ' +
      'refuse, with ten samples of each code, what it costs by market and category, and how long it takes at the pace of the ' +
      'senders. Below 5,000 recipients it is answered at once; otherwise with an operation, whose result it is.',
    tag,
    access: write,
    idempotency: 'required',
    params: campaignPath,
    responses: { 200: CampaignPreview, 202: Operation },
    handler: (t, { params }) => previewCampaign(t, params.campaignSid),
  }),
  operation({
    id: 'launchCampaign',
    method: 'POST',
    path: `${one}/launch`,
    summary: 'Launch a campaign',
    description:
      'Its audience is cut once, and each of the recipients admitted once, beginning at `sendAt`. What stands against all of its ' +
      'messages refuses the launch, in the words of the gate. To more live recipients than the account’s threshold, ' +
      'APPROVAL_REQUIRED names the approval that another person gives.',
    tag,
    access: write,
    idempotency: 'required',
    params: campaignPath,
    responses: { 202: Campaign },
    answerExample: launchedSample,
    async handler(t, { params }) {
      const campaign = await launchCampaign(t, params.campaignSid);
      if (campaign instanceof ApiError) return campaign;
      const location = `/v1/accounts/${t.accountSid}/operations/${campaign.operationSid}`;
      return new Answer(202, campaign, { location });
    },
  }),
  operation({
    id: 'pauseCampaign',
    method: 'POST',
    path: `${one}/pause`,
    summary: 'Pause a campaign',
    description:
      'Once this is answered nobody is admitted until it is resumed. Messages that were admitted before go their way.',
    tag,
    access: write,
    idempotency: 'required',
    params: campaignPath,
    responses: { 200: Campaign },
    answerExample: { ...launchedSample, state: 'PAUSED' },
    handler: (t, { params }) => pauseCampaign(t, params.campaignSid),
  }),
  operation({
    id: 'resumeCampaign',
    method: 'POST',
    path: `${one}/resume`,
    summary: 'Resume a paused campaign',
    description:
      'It goes on with those who still wait. What it paused for by itself is met again unless it was mended.',
    tag,
    access: write,
    idempotency: 'required',
    params: campaignPath,
    responses: { 200: Campaign },
    answerExample: { ...launchedSample, state: 'RUNNING' },
    handler: (t, { params }) => resumeCampaign(t, params.campaignSid),
  }),
  operation({
    id: 'cancelCampaign',
    method: 'POST',
    path: `${one}/cancel`,
    summary: 'Cancel a campaign',
    description:
      'Once this is answered nobody else is admitted, ever. Messages that were admitted before go their way, unless each is canceled.',
    tag,
    access: write,
    idempotency: 'required',
    params: campaignPath,
    responses: { 200: Campaign },
    answerExample: { ...launchedSample, state: 'CANCELED' },
    handler: (t, { params }) => cancelCampaign(t, params.campaignSid),
  }),
  operation({
    id: 'listCampaignRecipients',
    method: 'GET',
    path: `${one}/recipients`,
    summary: 'List the recipients of a campaign and what became of each',
    description:
      'In the order of their positions. Each has a message, or the error and the records it was refused by, or still waits. Filter ' +
      'by `outcome` or by the `code` of the refusal.',
    tag,
    access: read,
    params: campaignPath,
    query: RecipientQuery,
    responses: { 200: ListOf(CampaignRecipient) },
    handler: (t, { params, query, pager }) => listRecipients(t, params.campaignSid, query, pager),
  }),
  operation({
    id: 'getCampaignResults',
    method: 'GET',
    path: `${one}/results`,
    summary: 'Get what came of a campaign',
    description:
      'Counted from its messages as they stand now: sent, delivered, read, replied and opted out, failed and refused by code, and what ' +
      'they cost, in all and by variant. Shares come with their 95 % interval, by Wilson: where those of two variants overlap, the ' +
      'difference may be chance.',
    tag,
    access: read,
    params: campaignPath,
    responses: { 200: CampaignResults },
    // A read may not take as long as this can.
    stream: ({ write }, { params }) => write((t) => resultsOf(t, params.campaignSid)),
  }),
  operation({
    id: 'getCampaignSettings',
    method: 'GET',
    path: settings,
    summary: 'Get what holds for all campaigns of the account',
    description:
      'Who needs a second person to launch, and which time zone people have of whom none is known.',
    tag,
    access: read,
    params: Closed(accountPath),
    responses: { 200: CampaignSettings },
    handler: (t) => getSettings(t),
  }),
  operation({
    id: 'updateCampaignSettings',
    method: 'PATCH',
    path: settings,
    summary: 'Change what holds for all campaigns of the account',
    description:
      'What is left out stays as it was. In live the threshold is raised, or taken away with null, by an owner of the organization only.',
    tag,
    access: ['accounts:write'],
    idempotency: 'required',
    stepUp: { action: 'CAMPAIGN_SETTINGS_CHANGE', from: 'everyone' },
    params: Closed(accountPath),
    body: SettingsChange,
    responses: { 200: CampaignSettings },
    example: { approvalAbove: 5000, fallbackTimezone: 'Europe/Paris', stepUpToken: 'gwsu_…' },
    handler: (t, { body }) => changeSettings(t, body),
  }),
];
