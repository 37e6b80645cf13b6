// The provider, simulated: the same wire format on a port of its own, with its own state.

export { simulatorAppId } from './app-id.ts';
export type { Behaviour } from './behaviour.ts';
export type { Control, Page } from './control/control.ts';
export {
  readSandboxToken,
  type SandboxPortfolio,
  sandboxPartner,
  sandboxToken,
} from './http/access-token.ts';
export { costOf } from './messages/costs.ts';
export { type InboundInput, inboundTypes } from './messages/inbound.ts';
export { verificationCode } from './numbers/adding-numbers.ts';
export type { Phone, PhoneScreen } from './phones/phones.ts';
export type { AcceptedMessage, Command } from './record.ts';
export type { NewRule } from './rules.ts';
export { exactCallbacks, type Settings } from './settings.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
export { type SampleTemplate, sampleTemplateId, sampleTemplates } from './templates/sample-templates.ts';
export { sandboxCatalogId } from './world.ts';
