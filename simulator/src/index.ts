// The provider, simulated: the same wire format on a port of its own, with its own state.
export { readSandboxToken, type SandboxPortfolio, sandboxToken } from './access-token.ts';
export { type SampleTemplate, sampleTemplateId, sampleTemplates } from './sample-templates.ts';
export { type Simulator, type SimulatorOptions, simulatorAppId, startSimulator } from './simulator.ts';
