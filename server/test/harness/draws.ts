// Loaded into every test process. What properties are tried with looks random and is the same in every run, so that a run fails for
// what was changed and never for what was drawn. `TEST_SEED=any` draws anew, and a number what fast-check told of a failure.
import fc from 'fast-check';

const { TEST_SEED = '1' } = process.env;
if (TEST_SEED !== 'any') fc.configureGlobal({ seed: Number(TEST_SEED) });
