import { codesOfAdapters } from "./codes/adapters.ts";
import { codesOfCluster } from "./codes/cluster.ts";
import { codesOfFiles } from "./codes/files.ts";
import { codesOfGithub } from "./codes/github.ts";
import { codesOfModules } from "./codes/modules.ts";
import { codesOfOwnership } from "./codes/ownership.ts";
import { codesOfReleases } from "./codes/releases.ts";
import { codesOfRollouts } from "./codes/rollouts.ts";

/**
 * Every kind of problem with what it means and the usual cure, in plain Markdown. docs/reference/errors.md is made of it
 * (`npm run docs:generate`). A code is what people search for, so it never changes its meaning.
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

/** What kind of problem it is. */
export type ProblemCode = keyof typeof problemCodes;
