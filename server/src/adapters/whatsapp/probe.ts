// The provider's adapter with its answers looked at: which version served a call, and whether it was the simulator.
import type { AnsweredBy, Probe } from '../../modules/provider-versions/index.ts';
import { createProvider } from './provider.ts';

export function openProbe(): Probe {
  let answers: AnsweredBy[] = [];
  const provider = createProvider((headers, { pathname }) => {
    answers.push({
      // Links to files name no version, and whatever serves them is none of what was asked for.
      version: versioned.test(pathname) ? textOf(headers['facebook-api-version']) : null,
      // The simulator says so itself, whoever stands before it.
      simulated: textOf(headers['x-simulated-by']) !== null,
    });
  });
  return {
    provider,
    takeAnswers() {
      const taken = answers;
      answers = [];
      return taken;
    },
    close: () => provider.close(),
  };
}

const versioned = /^\/v\d+\.\d+\//;

const textOf = (header: string | string[] | undefined): string | null =>
  typeof header === 'string' && header !== '' ? header : null;
