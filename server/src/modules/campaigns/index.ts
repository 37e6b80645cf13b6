import type { Module } from '../../platform/module.ts';
import { campaignBelongings } from './belongings.ts';
import { endFailed } from './crons.ts';
import { campaignEvents } from './events.ts';
import { launchApproval } from './life/launch.ts';
import { observeCampaigns } from './metrics.ts';
import { campaignNotifications } from './notifications.ts';
import { campaignPreview } from './preview/preview-campaign.ts';
import { operations } from './routes.ts';
import { runCampaign } from './run/run-campaign.ts';

export { getCampaign, listCampaigns } from './life/campaigns.ts';
export { cancelCampaign, pauseCampaign, resumeCampaign } from './life/stopping.ts';
export { resultsOf } from './results/results.ts';
export type { CampaignResults } from './results/schema.ts';
export type { Campaign } from './schema.ts';

export const campaignsModule: Module = {
  name: 'campaigns',
  tables: ['campaigns', 'campaign_recipients', 'campaign_settings'],
  tags: {
    Campaigns:
      'The same message to many: drafted, launched, paced, paused, and what became of each recipient.',
  },
  operations,
  approvables: [launchApproval],
  events: Object.values(campaignEvents),
  notifications: campaignNotifications,
  jobs: [runCampaign.job, campaignPreview.job],
  crons: [endFailed],
  belongings: campaignBelongings,
  observe: observeCampaigns,
};
