import fc from "fast-check";

/**
 * fast-check with a fixed seed: a run fails only for what has changed. `QVS_SEED=7` draws other cases,
 * and `QVS_SEED=new` (`npm run test:chance`) new ones in each run, whose seed a failure names.
 */
const { QVS_SEED = "1" } = process.env;
if (QVS_SEED !== "new") fc.configureGlobal({ seed: Number(QVS_SEED) });

export { fc };
