import { isCrdManifest } from "../../model/cluster/namespaces-and-crds.ts";
import type { ReleasedManifest } from "../../model/deployments/release.ts";
import { at, isObject, type JsonObject, listAt, textAt } from "../../model/json.ts";
import { groupOf, idOf, type KubeObject, keyOf, nameOf } from "../../model/object.ts";
import {
  declarationPlaces,
  failed,
  ok,
  type Problem,
  type Result,
  resultProblems,
} from "../../model/problems/problem.ts";
import type { Manifest } from "../../model/sources/compilation.ts";
import { type OwnManifest, withoutClusterFields } from "./cluster-fields.ts";
import {
  type DeclaredNulls,
  manifestNullRules,
  settleNulls,
  unknownRules,
} from "./manifest-nulls.ts";
import { normalize, type Placement } from "./normalize.ts";
import type { DeclaredObject } from "./objects.ts";
import { type ResolvedManifest, resolveReferences } from "./references.ts";
import { restoreReferences } from "./tokens.ts";

/**
 * Resolves the references of all manifests and normalizes them, sorted by key.
 * Reports all problems of all manifests together.
 */
export function declareObjects(
  manifests: readonly Manifest[],
  placement: Placement,
): Result<readonly DeclaredObject[]> {
  const resolved = resolveReferences(manifests.map(withoutClusterFields), placement.shown);
  if (!resolved.ok) return resolved;
  const full = { ...placement, isNamespaced: withDeclaredScopes(manifests, placement) };
  const findNullRules = manifestNullRules(resolved.value, placement.findNullRules ?? unknownRules);
  const results = resolved.value.map((manifest) => {
    const { object, nulls } = settleNulls(withoutProviderFields(manifest.object), findNullRules);
    return { manifest, nulls, result: normalize({ ...manifest, object }, full) };
  });
  const objects = results.flatMap(({ manifest, nulls, result }) =>
    result.ok ? [declaredObject(manifest, result.value, nulls)] : [],
  );
  const problems = [
    ...results.flatMap(({ result }) => resultProblems(result)),
    ...duplicateProblems(objects),
  ];
  if (problems.length > 0) return failed(problems);
  return ok(objects.toSorted((a, b) => (a.key < b.key ? -1 : 1)));
}

/** Returns the manifests that a release records, so that a rollback can plan them again. */
export function toReleased(objects: readonly DeclaredObject[]): readonly ReleasedManifest[] {
  return objects.map((desired) => {
    const { stage, resource, object, dependsOn, references } = desired;
    if (references.length === 0) return { stage, resource, object, dependsOn };
    return { stage, resource, object: restoreReferences(desired), dependsOn, references: true };
  });
}

function withoutProviderFields(object: JsonObject): JsonObject {
  const { provider: _provider, output: _output, ...rest } = object;
  return rest;
}

function declaredObject(
  manifest: ResolvedManifest<OwnManifest>,
  object: KubeObject,
  nulls: DeclaredNulls | undefined,
): DeclaredObject {
  const id = idOf(object);
  const { stage, dependsOn, id: resource, where, references, leftOut, hook } = manifest;
  return {
    ...{ key: keyOf(id), id, stage, resource, object, dependsOn, references },
    ...(where === undefined ? {} : { where }),
    ...(leftOut.length === 0 ? {} : { leftOut }),
    ...(nulls === undefined ? {} : { nulls }),
    ...(hook === undefined ? {} : { hook }),
  };
}

/**
 * Returns the scope of a kind, also for kinds whose CRD this deployment creates.
 * For kinds that the cluster serves, only the cluster's answer counts. A CRD that is never applied
 * must not make a cluster-wide object seem namespaced.
 */
function withDeclaredScopes(
  manifests: readonly Manifest[],
  placement: Placement,
): Placement["isNamespaced"] {
  const scopes = new Map<string, boolean>();
  for (const { object } of manifests) {
    if (!isCrdManifest(object) || !isObject(object.spec)) continue;
    const { spec } = object;
    for (const version of listAt(spec, "versions")) {
      const apiVersion = `${textAt(spec, "group")}/${textAt(version, "name")}`;
      scopes.set(`${apiVersion} ${textAt(spec, "names", "kind")}`, at(spec, "scope") !== "Cluster");
    }
  }
  return (apiVersion, kind) =>
    placement.isNamespaced(apiVersion, kind) ?? scopes.get(`${apiVersion} ${kind}`);
}

function duplicateProblems(objects: readonly DeclaredObject[]): readonly Problem[] {
  const byKey = Map.groupBy(objects, (object) => object.key);
  return [...byKey.values()]
    .filter((same) => same.length > 1)
    .map((same) => ({
      code: "duplicate-object",
      subjects: [nameOf((same[0] as DeclaredObject).id)],
      what: `${nameOf((same[0] as DeclaredObject).id)} is declared by ${same.length} resources`,
      facts: [
        {
          label: "resources",
          value: same
            .map(({ stage, resource }) => `${stage}/${resource}`)
            .toSorted()
            .join(", "),
        },
      ],
      fix: "Give the resources the same id, so that they are unified",
      otherwise: ["give the objects different names"],
      where: declarationPlaces(...same),
    }));
}

/** Lists the kinds that the caller must look up in the cluster before `declareObjects`, sorted. */
export function kindsToDiscover(
  manifests: readonly Manifest[],
): readonly { readonly apiVersion: string; readonly kind: string }[] {
  const kinds = new Map<string, { apiVersion: string; kind: string }>();
  for (const { object } of manifests) {
    const { apiVersion, kind } = object;
    if (typeof apiVersion !== "string" || typeof kind !== "string") continue;
    kinds.set(`${groupOf(apiVersion)} ${kind} ${apiVersion}`, { apiVersion, kind });
  }
  return [...kinds.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
}
