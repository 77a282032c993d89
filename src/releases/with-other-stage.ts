import {
  appliedOutcomes,
  type Release,
  type ReleasedManifest,
} from "../model/deployments/release.ts";
import type { ReleaseHistory } from "../model/deployments/release-history.ts";
import { type Json, sameJson } from "../model/json.ts";
import { idOf, isKubeObject, keyOf } from "../model/object.ts";
import { failed, ok, type Result } from "../model/problems/problem.ts";
import type { Stage } from "../model/sources/compilation.ts";

type DeclaredManifests = Pick<Release, "expandedConfig">;

/**
 * Reports whether two releases declare the same objects in the same stages.
 * The names of their resources can differ.
 */
export function declareSameObjects(a: DeclaredManifests, b: DeclaredManifests): boolean {
  const [one, other] = [objectsByKey(a), objectsByKey(b)];
  return (
    one.size === other.size && [...one].every(([key, value]) => isSameJson(value, other.get(key)))
  );
}

/** Compares two values as JSON. A record was JSON, which omits fields without a value. */
function isSameJson(a: Json, b: Json | undefined): boolean {
  return b !== undefined && sameJson(normalizeJson(a), normalizeJson(b));
}

function normalizeJson(value: Json): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function objectsByKey({ expandedConfig }: DeclaredManifests): ReadonlyMap<string, Json> {
  return new Map(
    expandedConfig.map((manifest) => [
      `${manifest.stage} ${manifestKey(manifest)}`,
      { object: manifest.object, references: manifest.references ?? false },
    ]),
  );
}

/**
 * Returns the key of a manifest.
 * Recorded manifests are normalized, so their IDs equal those of the live objects.
 */
function manifestKey({ object, resource }: ReleasedManifest): string {
  return isKubeObject(object) ? keyOf(idOf(object)) : resource;
}

/**
 * Returns the manifests that a release of one stage records.
 * A rollback to that release then restores the state of the cluster after it. They are the declared
 * manifests of `stage` and the last applied manifests of the other stage. An object that moved from
 * `stage` to the other stage still exists, so its last manifest stays in the record.
 */
export function withOtherStage(
  declared: readonly ReleasedManifest[],
  stage: Stage,
  history: ReleaseHistory,
): Result<readonly ReleasedManifest[]> {
  const last = lastApplied(history, stage);
  if (!last.ok) return last;
  const redeclared = declared.filter((manifest) => manifest.stage === stage);
  const taken = new Set(redeclared.map(manifestKey));
  const all = new Set(declared.map(manifestKey));
  const before = last.value.filter(
    (manifest) =>
      !taken.has(manifestKey(manifest)) &&
      (manifest.stage !== stage || all.has(manifestKey(manifest))),
  );
  return ok([...redeclared, ...before]);
}

/** Returns the manifests of the newest release whose other stage equals the cluster. */
function lastApplied(
  { releases }: ReleaseHistory,
  stage: Stage,
): Result<readonly ReleasedManifest[]> {
  for (const release of releases) {
    switch (otherStageState(release, stage)) {
      case "applied":
        return ok(release.expandedConfig);
      case "untouched":
        continue;
      case "half done":
        return failed([
          {
            code: "stage-half-deployed",
            what: `Release ${release.revision} might have left ${stage === "app" ? "appSetup" : "app"} incomplete`,
            facts: [{ label: "status", value: release.status }],
            why: `A release of ${stage} alone couldn't record the state to roll back to`,
            fix: "Deploy both stages: remove --only-stage",
            where: [],
          },
        ]);
    }
  }
  return ok([]);
}

function otherStageState(
  { status, expandedConfig, results }: Release,
  stage: Stage,
): "applied" | "untouched" | "half done" {
  if (status === "succeeded") return "applied";
  // The results of a killed run are unknown.
  if (status === "pending") return "half done";
  const outcomes = new Map(results.map(({ key, outcome }) => [key, outcome]));
  const others = expandedConfig.filter((manifest) => manifest.stage !== stage);
  const found = others.map((manifest) => outcomes.get(manifestKey(manifest)) ?? "not attempted");
  if (found.every((outcome) => outcome === "not attempted" || outcome === "unchanged")) {
    return "untouched";
  }
  return found.every((outcome) => appliedOutcomes.has(outcome)) ? "applied" : "half done";
}
