import { minimatch } from "minimatch";
import { listRecorded } from "../../deploying/queries/list-recorded.ts";
import { minimalDeployment } from "../../deploying/queries/locate-deployment.ts";
import { type Deployment, isNamePattern } from "../../model/deployments/deployment.ts";
import { UserError, userError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { suggestClosest, summarizeList } from "../../model/text/suggest.ts";
import type { World } from "../../ports/world.ts";
import {
  candidateDeployments,
  type DeploymentSelection,
  nothingToDeploy,
} from "../../sources/list-deployments.ts";
import { changed } from "../changed.ts";

/** The flags that select several deployments. */
interface SeveralSelection {
  /** The names and glob patterns of `--deployment`. An empty list selects all deployments. */
  readonly patterns: readonly string[];
  /** The commit of `--changed`; undefined also selects unchanged deployments. */
  readonly changedSince: string | undefined;
  /** The values that replace those in deployments.yaml. */
  readonly overrides: Omit<DeploymentSelection, "deployment">;
  readonly inline: readonly string[];
  /** True if the command needs only the releases in the cluster, and no config. */
  readonly fromRecords: boolean;
}

export interface SelectedDeployments {
  readonly chosen: readonly Deployment[];
  /** All deployments in the list. Those that aren't chosen still affect the order. */
  readonly all: readonly Deployment[];
  /** The removed deployments that a push would delete. No command here deletes them. */
  readonly removed: readonly Deployment[];
  readonly notices: readonly Problem[];
}

/**
 * Selects deployments by names, patterns and changed files on disk, because the commands read the
 * working tree. Throws a UserError for a pattern
 * without a match. The selection is empty if no matching deployment has changed.
 */
export async function selectSeveral(
  world: World,
  selection: SeveralSelection,
): Promise<SelectedDeployments> {
  const { patterns, changedSince: base, inline } = selection;
  const all = await knownDeployments(world, selection);
  const chosen = matchDeployments(all, patterns);
  requireDistinctNames(chosen);
  if (base === undefined) return { chosen, all, removed: [], notices: [] };
  const adjusted = (deployment: Deployment) => adjust(deployment, selection);
  const compared = { base, compares: "working tree", readsCluster: false } as const;
  const found = await changed(world, { ...compared, inline, adjusted });
  const names = new Set(found.levels.flat().map(({ name }) => name));
  return {
    chosen: chosen.filter(({ name }) => names.has(name)),
    all,
    removed: found.deletions.flat(),
    notices: found.notices,
  };
}

async function knownDeployments(
  world: World,
  selection: SeveralSelection,
): Promise<readonly Deployment[]> {
  const { patterns, overrides, changedSince, fromRecords } = selection;
  const { tree } = world.source;
  const listed = await candidateDeployments(tree, world.repositoryName, {
    ...overrides,
    deployment: undefined,
  });
  if (!listed.ok && !fromRecords) throw new UserError(listed.problems);
  const all = listed.ok ? listed.value.map((each) => adjust(each, selection)) : [];
  const isComplete = all.length > 0 && unmatchedPatterns(all, patterns).length === 0;
  const known =
    isComplete || !fromRecords || changedSince !== undefined
      ? all
      : [...all, ...(await recordedDeployments(world, all, overrides))];
  if (known.length === 0) throw nothingToDeploy();
  return known;
}

function adjust(
  deployment: Deployment,
  { overrides: { params, context, namespace } }: SeveralSelection,
): Deployment {
  return {
    ...deployment,
    params: [...deployment.params, ...params],
    context: context ?? deployment.context,
    namespace: namespace ?? deployment.namespace,
  };
}

/** Returns the recorded deployments that the list doesn't contain. */
async function recordedDeployments(
  world: World,
  listed: readonly Deployment[],
  { context, namespace }: SeveralSelection["overrides"],
): Promise<readonly Deployment[]> {
  const { cluster } = await world.target(minimalDeployment("", namespace ?? "", context));
  const { deployments } = await listRecorded(cluster, namespace);
  const names = new Set(listed.map(({ name }) => name));
  return deployments
    .filter(({ name }) => !names.has(name))
    .map((each) => minimalDeployment(each.name, each.namespace, context));
}

/** Throws a UserError if two deployments have the same name: a run names its deployments. */
function requireDistinctNames(chosen: readonly Deployment[]): void {
  const repeated = [...Map.groupBy(chosen, ({ name }) => name)].filter(([, all]) => all.length > 1);
  if (repeated.length === 0) return;
  const names = repeated.map(([name]) => name);
  throw userError(
    "ambiguous-selection",
    `${summarizeList(names, 8)}: recorded in more than one namespace`,
    "Choose a namespace with --namespace",
  );
}

/** Returns the patterns that match none of the deployments. */
function unmatchedPatterns(
  all: readonly Deployment[],
  patterns: readonly string[],
): readonly string[] {
  return patterns.filter((pattern) => !all.some(({ name }) => matches(name, pattern)));
}

/**
 * Returns the deployments that any of the names and glob patterns matches, in the order of `all`.
 * No pattern selects all of them. Throws a UserError for each pattern without a match, because a
 * mistyped one would silently skip deployments.
 */
export function matchDeployments(
  all: readonly Deployment[],
  patterns: readonly string[],
): readonly Deployment[] {
  const problems = unmatchedPatterns(all, patterns).map((each) => noMatchProblem(each, all));
  if (problems.length > 0) throw new UserError(problems);
  return all.filter(
    ({ name }) => patterns.length === 0 || patterns.some((pattern) => matches(name, pattern)),
  );
}

function matches(name: string, pattern: string): boolean {
  return name === pattern || minimatch(name, pattern, { nonegate: true, nocomment: true });
}

/** The most names that a fix lists. */
const maxNames = 20;

function noMatchProblem(pattern: string, all: readonly Deployment[]): Problem {
  const names = all.map(({ name }) => name);
  const isName = !isNamePattern(pattern);
  const candidates = isName ? names : [...names, ...new Set(names.flatMap(similarPatterns))];
  const choice = `Choose from these: ${summarizeList(names.toSorted(), maxNames)}`;
  return {
    code: "unknown-deployment",
    where: [],
    what: isName
      ? `Deployment "${pattern}" doesn't exist`
      : `Pattern "${pattern}" matches no deployment`,
    ...suggestClosest(pattern, candidates, choice),
  };
}

/** Returns patterns for the words of a name: `shop-*`, `shop-web-*`, `*-web-eu` and `*-eu`. */
function similarPatterns(name: string): readonly string[] {
  const words = name.split("-");
  const cuts = words.slice(1).map((_, index) => index + 1);
  return cuts.flatMap((cut) => [
    `${words.slice(0, cut).join("-")}-*`,
    `*-${words.slice(cut).join("-")}`,
  ]);
}
