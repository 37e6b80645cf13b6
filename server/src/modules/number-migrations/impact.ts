// What a migration means for those who send from the number: told before it begins.
import type { TenantTx } from '../../platform/db/database.ts';
import { countWaiting } from '../messages/index.ts';
import { flowsMissing, templatesMissing } from '../templates/index.ts';
import { publishedWorkflows, type Reference, referencesOf } from '../workflows/index.ts';
import type { MigrationImpact } from './schema.ts';

const mostListed = 100;
const mostWorkflows = 500;
/** Those that are missing are told apart by name among this many. */
const mostMissing = 5_000;

type Way = { senderSid: string; from: string; to: string };

export async function impactOf(t: TenantTx, { senderSid, from, to }: Way): Promise<MigrationImpact> {
  const between = { from, to, most: mostMissing };
  const [queuedMessages, templates, flows] = await Promise.all([
    countWaiting(t, senderSid),
    templatesMissing(t, between),
    flowsMissing(t, between),
  ]);
  const names = new Set(templates.map(({ name, language }) => nameOf(name, language)));
  const sids = new Set(flows.map(({ sid }) => sid));
  const isMissing = (reference: Reference) =>
    reference.kind === 'template'
      ? names.has(nameOf(reference.name, reference.language))
      : reference.kind === 'flow' && sids.has(reference.sid);
  const concerned = names.size + sids.size > 0 ? await publishedWorkflows(t, mostWorkflows) : [];
  return {
    queuedMessages,
    missingTemplates: {
      total: templates[0]?.total ?? 0,
      templates: templates.slice(0, mostListed).map(({ name, language }) => ({ name, language })),
    },
    missingFlows: {
      total: flows[0]?.total ?? 0,
      flows: flows.slice(0, mostListed).map(({ sid, name }) => ({ sid, name })),
    },
    workflows: concerned
      .filter(({ definition }) => referencesOf(definition).some(isMissing))
      .slice(0, mostListed)
      .map(({ sid, name }) => ({ sid, name })),
  };
}

const nameOf = (name: string, language: string) => `${name} ${language}`;
