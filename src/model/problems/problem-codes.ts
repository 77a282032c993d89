import {
  clusterCodes,
  environmentCodes,
  githubCodes,
  ownershipCodes,
  releaseCodes,
  rolloutCodes,
} from "./codes/deployment-codes.ts";
import { adapterCodes, chartCodes, fileCodes, moduleCodes } from "./codes/source-codes.ts";

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
