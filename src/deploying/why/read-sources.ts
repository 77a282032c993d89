import pMap from "p-map";
import type { Deployment } from "../../model/deployments/deployment.ts";
import type { Release } from "../../model/deployments/release.ts";
import type { ReleaseHistory } from "../../model/deployments/release-history.ts";
import { fieldOf, type Json } from "../../model/json.ts";
import { catchProblems } from "../../model/problems/errors.ts";
import { failed, type Position, type Problem, type Result } from "../../model/problems/problem.ts";
import type { FieldSource, LineChange } from "../../model/sources/field-explanation.ts";
import type { GitRepository, LineOrigin } from "../../ports/git.ts";
import type { World } from "../../ports/world.ts";
import { openCommitSource } from "../../sources/commit-source.ts";
import { listDeployments } from "../../sources/list-deployments.ts";
import { chartCapabilities } from "../chart-capabilities.ts";
import {
  compileTraced,
  decidingLines,
  type SourceQuestion,
  type TracedCompilation,
  traceField,
} from "./trace-sources.ts";

/** The sources of a field with their history. */
export interface ReadSources {
  readonly sources: readonly FieldSource[];
  readonly value: Json | undefined;
  /** The number of further sources, which are left out. */
  readonly omitted: number;
  readonly notices: readonly Problem[];
}

/**
 * Returns the release that a manifest was compiled for: a rollback has the manifests of an earlier
 * one. Undefined if that release isn't recorded anymore.
 */
export function compiledRelease(
  { releases }: ReleaseHistory,
  release: Release,
): Release | undefined {
  let found: Release | undefined = release;
  for (const _ of releases) {
    const target: number | undefined = found?.rollbackOf;
    if (target === undefined) return found;
    found = releases.find(({ revision }) => revision === target);
  }
  return found?.rollbackOf === undefined ? found : undefined;
}

/** Reads the sources of a field at the commit of a release. It checks nothing out. */
export async function sourcesOfRelease(
  world: World,
  deployment: Deployment,
  release: Release | undefined,
  question: SourceQuestion,
): Promise<ReadSources> {
  const commit = release?.source.commit;
  if (release === undefined || commit === undefined) return nothingKnown(noCommit);
  if (world.repository === undefined) return nothingKnown(noRepository(commit));
  const compiled = await compileRelease(world, deployment, release, commit);
  if (!compiled.ok) return { ...nothing, notices: compiled.problems };
  return withHistory(world, commit, compiled.value, question);
}

const noCommit: Problem = {
  code: "commit-not-found",
  where: [],
  what: "The commit of the manifest is unknown",
  why: "The record names no commit, or the release that a rollback restored isn't recorded anymore",
  fix: "Deploy from a commit",
};

function noRepository(commit: string): Problem {
  return {
    code: "not-a-git-repository",
    where: [],
    what: "This directory isn't in a Git repository, so the sources aren't shown",
    facts: [{ label: "commit", value: commit.slice(0, 12) }],
    fix: "Run qvs in a clone of the application's repository",
  };
}

function nothingKnown(notice: Problem): ReadSources {
  return { ...nothing, notices: [notice] };
}

const nothing = { sources: [], value: undefined, omitted: 0 };

async function compileRelease(
  world: World,
  deployment: Deployment,
  release: Release,
  commit: string,
): Promise<Result<TracedCompilation>> {
  const opened = await catchProblems(() => openCommitSource(world, commit));
  if (!opened.ok) return opened;
  const source = opened.value;
  const listed = await listDeployments(source.tree, world.repositoryName, world.folder);
  const entry = listed.ok ? listed.value.find(({ name }) => name === deployment.name) : undefined;
  const config = release.source.config ?? entry?.config;
  if (config === undefined) return failed([unknownConfig(deployment)]);
  const of = { ...deployment, params: [], ...entry, config, namespace: deployment.namespace };
  const cluster = chartCapabilities(world, deployment, () => world.target(deployment));
  return compileTraced(source, of, inlineParams(release), cluster);
}

function unknownConfig({ name }: Deployment): Problem {
  return {
    code: "config-not-found",
    where: [],
    what: `The config of deployment "${name}" is unknown`,
    why: "Its record and the list of deployments at that commit don't name it",
    fix: "Run qvs in the repository of the deployment",
  };
}

/** Returns the values that were given on the command line, which the record contains. */
function inlineParams({ inputConfig: { params, inline = [] } }: Release): readonly string[] {
  return inline.map((name) => {
    const value = fieldOf(params, name);
    return `${name}=${typeof value === "string" ? value : JSON.stringify(value ?? null)}`;
  });
}

/** The number of sources whose history is read at once. Each line starts processes of git. */
const atOnce = 2;

/** Adds the last changes of the deciding lines, as of the commit. */
export async function withHistory(
  { repository }: World,
  commit: string | undefined,
  traced: TracedCompilation,
  question: SourceQuestion,
): Promise<ReadSources> {
  const { sources, value, omitted } = traceField(traced, question);
  const history = async (source: (typeof sources)[number]): Promise<FieldSource> => ({
    ...source,
    changes:
      repository === undefined || commit === undefined
        ? []
        : await findLineChanges(repository, commit, decidingLines(source)),
  });
  const read = await pMap(sources, history, { concurrency: atOnce });
  return { sources: read, value, omitted, notices: [] };
}

/** The maximum number of lines whose history qvs reads for one field. */
const maxLines = 6;

/** Returns the last changes of lines, as of a commit. Lines outside of the repository have none. */
export async function findLineChanges(
  repository: GitRepository,
  commit: string,
  lines: readonly Position[],
): Promise<readonly LineChange[]> {
  const distinct = new Map(lines.map((each) => [`${each.file}:${each.line}`, each]));
  const read = await pMap(
    [...distinct.values()].slice(0, maxLines),
    async (at) => {
      const origin = await repository.lineOrigin(commit, at.file, at.line);
      return origin === undefined ? [] : [toLineChange(at, origin)];
    },
    { concurrency: 2 },
  );
  return read.flat();
}

function toLineChange(at: Position, { merge, ...origin }: LineOrigin): LineChange {
  const numbers = [origin.subject, merge?.subject ?? ""].map(pullRequestNumber);
  return {
    at,
    ...origin,
    merge: merge?.commit,
    pullRequest: numbers[1] ?? numbers[0],
  };
}

/**
 * Returns the number of the pull request in the subject that GitHub gives to a merge or a squashed
 * commit. Undefined for other subjects, such as those of rebased commits.
 */
function pullRequestNumber(subject: string): number | undefined {
  const [, merged, squashed] =
    /^Merge pull request #(\d{1,9}) from |\(#(\d{1,9})\)$/.exec(subject) ?? [];
  const digits = merged ?? squashed;
  return digits === undefined ? undefined : Number(digits);
}
