// Workflows in plain words, for somebody at a terminal at night.
import type {
  FormerDecision,
  Predicate,
  Saw,
  TraceEntry,
  Workflow,
  WorkflowDecision,
  WorkflowOverview,
  WorkflowTest,
} from '../../../modules/workflows/index.ts';
import { shown } from '../shown.ts';

const counted = (many: number, what: string) => `${many} ${what}${many === 1 ? '' : 's'}`;
const sawOf = ({ path, value }: Saw) => `${path} was ${value === null ? 'missing' : shown(value)}`;

export function tellWorkflow(workflow: WorkflowOverview): string {
  const { sid, name, status, latestVersion, publishedVersion, activeRuns, heldRuns, decisions } = workflow;
  const version =
    publishedVersion === null || publishedVersion === latestVersion
      ? `version ${latestVersion}`
      : `version ${publishedVersion} of ${latestVersion}`;
  const runs = `${counted(activeRuns, 'active run')}${heldRuns > 0 ? ' (held)' : ''}`;
  const decided = Object.entries(decisions).map(([decision, many]) => `${decision} ${many}`);
  return [sid, status.padEnd(9), version, runs, decided.join(', ') || 'nothing decided', shown(name)].join(
    '  ',
  );
}

export type Explained = {
  workflow: Pick<Workflow, 'status' | 'name'>;
  /** The version it was judged by. */
  version: number;
  conditions: Predicate[];
  decision: WorkflowDecision;
  /** What was decided when it happened. */
  former: FormerDecision[];
};

export function tellDecision(explained: Explained): string[] {
  const { workflow, version, decision, former } = explained;
  const { eventSid, eventType, contactSid } = decision;
  const about = contactSid === null ? 'about no contact' : `about ${contactSid}`;
  return [
    `${eventSid} is a ${eventType} ${about}; judged by version ${version} of ${shown(workflow.name)}.`,
    ...(former.length === 0
      ? [
          'Then: nothing was decided. The workflow was not published yet, or the decision is no longer kept, or a worker has yet to look.',
        ]
      : former.map(
          ({ decision, runSid, at }) =>
            `Then: ${decision}${runSid === null ? '' : ` (${runSid})`}, at ${at}.`,
        )),
    ...tellNow(explained),
  ];
}

type Detail = {
  condition?: number;
  saw?: Saw[];
  runSid?: string;
  active?: boolean;
  limit?: string;
  most?: number;
};

function tellNow({ workflow, conditions, decision: { decision, detail } }: Explained): string[] {
  const { condition = 0, saw = [], runSid, active, limit, most } = (detail ?? {}) as Detail;
  const now = (words: string) => [`Now: ${decision}. ${words}`];
  switch (decision) {
    case 'started':
      return workflow.status === 'PUBLISHED'
        ? now('Such an event starts a run.')
        : now(`Such an event would start a run, but the workflow is ${workflow.status} and starts none.`);
    case 'condition':
      return [
        ...now(`conditions[${condition}] does not hold: ${shown(conditions[condition])}`),
        ...saw.map((one) => `  ${sawOf(one)}`),
      ];
    case 'reentry':
      return active
        ? now(`The contact is in the workflow already, by run ${runSid}.`)
        : now(`The contact has been in the workflow, last by run ${runSid}, and allowReentry is not set.`);
    case 'stopped_contact':
      return now('Somebody stopped the workflow for this contact; DELETE …/contacts/{CT}/stop ends that.');
    case 'restricted_contact':
      return now('A privacy request restricts the contact: nothing starts for it until that ends.');
    case 'caused_by_self':
      return now(`The event tells of what run ${runSid} of this very workflow did for this contact.`);
    case 'limit':
      return limit === 'depth'
        ? now(`More than ${most} runs stand before it, each started by what the one before did.`)
        : now(`${most} runs began for this contact within the last hour, which is the most there may be.`);
    case 'no_subject':
      return now('The event is about nobody and nothing.');
    case 'before_publishing':
      return now(
        'The event happened before the workflow was published, which hears what happens afterwards.',
      );
  }
}

export function tellTest(workflow: Pick<Workflow, 'name' | 'status'>, test: WorkflowTest): string[] {
  const { workflowSid, version, eventType, started, failedCondition, startedAt, contactSid } = test;
  const whom = contactSid === null ? 'somebody made up' : contactSid;
  const trace = test.trace as unknown as TraceEntry[];
  return [
    `${workflowSid} ${shown(workflow.name)}, version ${version}, ${workflow.status}: ${eventType} of ${whom} at ${startedAt}.`,
    ...test.issues.map(({ severity, path, message }) => `${severity}: ${path}: ${message}`),
    started ? 'The conditions hold.' : `It does not start: conditions[${failedCondition}] does not hold.`,
    ...(test.saw as Saw[]).map((one) => `  ${sawOf(one)}`),
    ...trace.flatMap((entry, i) => (isBegun(entry, trace[i + 1]) ? [] : tellStep(entry))),
    endOf(test),
  ];
}

/** What is asked for and what became of it at the same moment are one line. */
const isBegun = (entry: TraceEntry, next: TraceEntry | undefined) =>
  entry.outcome === 'waiting' && next?.position === entry.position && next.at === entry.at;

function tellStep({ at, path, id, type, outcome, chose, saw = [], output, error }: TraceEntry): string[] {
  const took = chose === undefined ? '' : ` ${shown(chose)}`;
  const name = id === null ? type : `${type} "${id}"`;
  return [
    `${at}  ${path}  ${name}  ${outcome}${took}`,
    ...saw.map((one) => `  ${sawOf(one)}`),
    ...(output === undefined ? [] : outputsOf(output)),
    ...(error === undefined ? [] : [`  ${error.code}: ${shown(error.message)}`]),
  ];
}

const outputWords: Record<string, string> = {
  wouldSend: 'would send',
  wouldDo: 'would do',
  wouldAsk: 'would ask',
  preflight: 'judged',
};

const outputsOf = (output: unknown): string[] =>
  typeof output !== 'object' || output === null || Array.isArray(output)
    ? [`  ${shown(output)}`]
    : Object.entries(output)
        .filter(([, value]) => value !== null)
        .map(([name, value]) => `  ${outputWords[name] ?? name} ${shown(value)}`);

function endOf({ started, status, outcome, error, endedAt }: WorkflowTest): string {
  const nothing = 'Nothing was sent or changed.';
  if (!started) return nothing;
  const said = outcome === null ? '' : ` with ${shown(outcome)}`;
  const why = error === null ? '' : `, by ${error.path}: ${error.code}: ${shown(error.message)}`;
  return `${status}${said} at ${endedAt}${why}. ${nothing}`;
}
