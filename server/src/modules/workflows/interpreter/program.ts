// A definition made ready for running: what can be said of it once is not asked at every step.
import type { Action, Definition } from '../definition/actions.ts';
import { actionsOf, listsIn, pathsIn, pathsOfPredicate, predicatesOf } from '../definition/walk.ts';
import type { Catalogue } from '../grammar/catalogue.ts';
import { messageSidOf } from './replies.ts';
import { type Frame, maxSteps, type Run, type State } from './state.ts';

export type Program = {
  definition: Definition;
  nameOf: Catalogue['nameOf'];
  /** The ids of steps that a path of the definition asks about. */
  keptSteps: ReadonlySet<string>;
  /** The ids of steps whose replies are cited. */
  keptReplies: ReadonlySet<string>;
};

export function prepare(definition: Definition, catalogue: Catalogue): Program {
  const actions = [...actionsOf(definition)].map(({ action }) => action);
  const paths = [
    ...actions.flatMap(pathsIn),
    ...[...predicatesOf(definition)].flatMap(({ predicate }) => pathsOfPredicate(predicate)),
  ];
  const stepsIn = (path: string) => (path.startsWith('steps.') ? [path.split('.')[1]!] : []);
  return {
    definition,
    nameOf: catalogue.nameOf,
    keptSteps: new Set(paths.flatMap(stepsIn)),
    keptReplies: new Set(
      actions.flatMap((action) => ('reply' in action && action.reply ? [action.reply] : [])),
    ),
  };
}

/** A run that has done nothing yet, begun by an event with this data. */
export function startOf(event: object | null): Run {
  return {
    state: {
      section: 'actions',
      frames: [{ in: 'actions', at: 0 }],
      position: 0,
      limit: maxSteps,
      waiting: null,
      pending: null,
      messageSid: messageSidOf(event),
      error: null,
      failure: null,
    },
    memory: { vars: {}, steps: {}, replies: {} },
  };
}

export type Standing = { list: Action[]; path: string; frame: Frame };

/** The list a run is at work on, and where that list stands in the definition. */
export function standingAt({ definition }: Program, { section, frames }: State): Standing {
  let list = definition[section] ?? [];
  let path: string = section;
  for (const [depth, frame] of frames.slice(1).entries()) {
    const { at } = frames[depth]!;
    const inner = listsIn(list[at] ?? {}).find(({ key }) => key === frame.in);
    list = (inner?.actions ?? []) as Action[];
    path += `[${at}].${inner?.path ?? frame.in}`;
  }
  return { list, path, frame: frames.at(-1)! };
}
