import { codesOfAdapters } from "./codes/adapters.ts";
import { codesOfCluster } from "./codes/cluster.ts";
import { codesOfFiles } from "./codes/files.ts";
import { codesOfGithub } from "./codes/github.ts";
import { codesOfModules } from "./codes/modules.ts";
import { codesOfOwnership } from "./codes/ownership.ts";
import { codesOfReleases } from "./codes/releases.ts";
import { codesOfRollouts } from "./codes/rollouts.ts";

/**
 * The codes of errors with their meaning and the usual fix, in plain Markdown.
 * `npm run docs:generate` creates docs/reference/errors.md from it. Users search for codes, so a
 * code never changes its meaning. A renamed code keeps its former name in former-codes.ts.
 */
export const problemCodes = {
  ...codesOfFiles,
  ...codesOfAdapters,
  ...codesOfModules,
  ...codesOfCluster,
  ...codesOfOwnership,
  ...codesOfRollouts,
  ...codesOfReleases,
  ...codesOfGithub,
} as const;

export type ProblemCode = keyof typeof problemCodes;
