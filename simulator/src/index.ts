// The provider, simulated: the same wire format on a port of its own, with its own state.
export { readSandboxToken, type SandboxPortfolio, sandboxToken } from './access-token.ts';
export type { Behaviour } from './behaviour.ts';
export type { Control, NewRule, Page } from './control.ts';
export { type InboundInput, inboundTypes } from './inbound.ts';
export type { AcceptedMessage } from './record.ts';
export { type SampleTemplate, sampleTemplateId, sampleTemplates } from './sample-templates.ts';
export { exactCallbacks, type Settings } from './settings.ts';
export { type Simulator, type SimulatorOptions, simulatorAppId, startSimulator } from './simulator.ts';
export { sandboxCatalogId } from './world.ts';
