/** What somebody asked of the control API and cannot have, in words. */
export class ControlProblem extends Error {
  override name = 'ControlProblem';
}
