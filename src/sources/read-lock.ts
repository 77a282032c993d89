import { entriesWithNames, type Lockfile, lockfilePath } from "../config/lockfile/lockfile.ts";
import { parseLockfile } from "../config/lockfile/parse-lockfile.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import { catchProblems } from "../model/problems/errors.ts";
import { ok, type Result } from "../model/problems/problem.ts";
import type { Compilation } from "../model/sources/compilation.ts";
import { type ChangedSource, compareSources } from "../model/sources/locked-source.ts";
import type { ConfigSource } from "../ports/world.ts";

/** Reads the lockfile next to a config. Returns undefined if there is none. */
export async function readLock(
  { tree }: Pick<ConfigSource, "tree">,
  config: string,
): Promise<Result<Lockfile | undefined>> {
  const file = lockfilePath(config);
  const text = await catchProblems(() => tree.read(file));
  if (!text.ok) return text;
  return text.value === undefined ? ok(undefined) : parseLockfile(file, text.value);
}

/** A deployment at the base commit. `base` is its compilation; undefined if it doesn't compile. */
interface BaseDeployment {
  readonly deployment: Deployment;
  readonly source: ConfigSource;
  readonly base: Compilation | undefined;
}

/**
 * Returns the modules, charts and remote bases of a deployment whose lockfile entries differ from
 * those of the base commit. If the base doesn't compile, only its lockfile is known, which can
 * contain entries of other deployments. The result then has no removed sources.
 */
export async function findChangedSources(
  { locked = [] }: Compilation,
  { deployment, source, base }: BaseDeployment,
): Promise<readonly ChangedSource[]> {
  if (base !== undefined) return compareSources(base.locked ?? [], locked);
  const lock = await readLock(source, deployment.config);
  if (!lock.ok || lock.value === undefined) return [];
  const changed = compareSources(entriesWithNames(lock.value, locked), locked);
  return changed.filter(({ after }) => after !== undefined);
}
