import { adapterCodes } from "./codes/adapters.ts";
import { chartCodes } from "./codes/charts.ts";
import { clusterCodes } from "./codes/cluster.ts";
import { environmentCodes } from "./codes/environments.ts";
import { fileCodes } from "./codes/files.ts";
import { githubCodes } from "./codes/github.ts";
import { moduleCodes } from "./codes/modules.ts";
import { ownershipCodes } from "./codes/ownership.ts";
import { releaseCodes } from "./codes/releases.ts";
import { rolloutCodes } from "./codes/rollouts.ts";

/**
 * The codes of errors with their meaning and the usual fix, in plain Markdown.
 * `npm run docs:generate` creates docs/reference/errors.md from it. Users search for codes, so a
 * code never changes its meaning. A renamed code keeps its former name in previous-codes.ts.
 */
export const problemCodes = {
  ...fileCodes,
  ...adapterCodes,
  ...moduleCodes,
  ...chartCodes,
  ...clusterCodes,
  ...ownershipCodes,
  ...rolloutCodes,
  ...releaseCodes,
  ...environmentCodes,
  ...githubCodes,
} as const;

export type ProblemCode = keyof typeof problemCodes;
