// How large a definition may be. A workflow that reaches one of these is a program that belongs elsewhere.

export const maxDefinitionBytes = 64 * 1024;
/** In all lists together, those inside others included. */
export const maxActions = 200;
/** Of lists of actions inside each other, and of predicates inside each other. */
export const maxDepth = 5;
/** In all conditions together, groups included. */
export const maxPredicates = 50;
export const maxEventTypes = 20;
export const maxCases = 20;
export const maxRounds = 20;
export const maxWords = 100;
/** The longest a run lives, and the longest anything in it waits. */
export const maxSeconds = 2_592_000;
/** The longest an endpoint may take to answer. */
export const maxAnswerSeconds = 3_600;
