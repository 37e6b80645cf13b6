import type { Module } from '../../platform/module.ts';
import { webhookBelongings } from './belongings.ts';
import { trimHistories } from './crons.ts';
import { fanOut } from './deliveries/fan-out.ts';
import { deliveryOperations } from './deliveries/routes.ts';
import { endpointEvents, testEvents } from './endpoints/events.ts';
import { closeDeliveries, tellOwners } from './endpoints/jobs.ts';
import { endpointNotifications } from './endpoints/notifications.ts';
import { endpointOperations } from './endpoints/routes.ts';
import { eventOperations } from './events/routes.ts';
import { pingOperations } from './pings/routes.ts';
import { requestEvents } from './requests/events.ts';
import { deliver } from './sending/deliver.ts';

export { type DeliveryTry, deliveryTriesOf } from './deliveries/delivery-tries.ts';
export { endpointOrigins } from './endpoints/endpoints.ts';
export { newSecret } from './endpoints/signing-secret.ts';
export { findStatusCallbacks, type StatusCallback } from './endpoints/status-callbacks.ts';
export { knowEventTypes } from './events/catalogue.ts';
export { historyStart, trimHistory } from './events/history.ts';
export { hearAnswers, type NewRequest, type RequestAnswer, requestDeliveries } from './requests/requests.ts';
export { signatureOf } from './sending/signature.ts';
export const webhooksModule: Module = {
  name: 'webhooks',
  tables: [
    'webhook_endpoints',
    'webhook_lanes',
    'webhook_deliveries',
    'webhook_undelivered',
    'webhook_attempts',
    'webhook_statistics',
    'event_log_starts',
  ],
  tags: {
    Webhooks: 'Endpoints that are told of events, and what became of each delivery.',
    Events: 'Everything that happened, in order, for as long as history is kept.',
  },
  operations: [...endpointOperations, ...pingOperations, ...deliveryOperations, ...eventOperations],
  events: [testEvents, endpointEvents, requestEvents].flatMap((types) => Object.values(types)),
  notifications: endpointNotifications,
  jobs: [closeDeliveries, tellOwners],
  crons: [trimHistories],
  consumers: [fanOut],
  loops: [deliver],
  belongings: webhookBelongings,
};
