import { entriesWithNames } from "../config/lockfile/locked-sources.ts";
import type { Compilation } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import { type ChangedSource, compareSources } from "../model/locked-source.ts";
import type { ConfigSource } from "../ports/world.ts";
import { readLock } from "./read-lock.ts";

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
