// The payment service, simulated: the same wire format on a port of its own, with its own state.

export type { PaymentControl } from './control/payment-control.ts';
export { type TestCard, testCards } from './objects/cards.ts';
export type { NewPaymentRule } from './objects/payment-rules.ts';
export {
  type PaymentSimulator,
  type PaymentSimulatorOptions,
  startPaymentSimulator,
  type WebhookTarget,
} from './payment-simulator.ts';
export { exactWebhooks, type PaymentSettings } from './settings.ts';
