import type { Manifest, Stage } from "../../model/compilation.ts";
import type { PathStep } from "../../model/ignore-paths.ts";
import { at, isObject, listAt, textAt } from "../../model/json.ts";
import type { KeptSecret, LateText } from "../../model/late-text.ts";
import {
  groupOf,
  idOf,
  type KubeObject,
  keyOf,
  nameOf,
  type ObjectId,
} from "../../model/object.ts";
import {
  declaredAt,
  failed,
  ok,
  type Position,
  type Problem,
  problemsOf,
  type Result,
} from "../../model/problem.ts";
import type { ReleasedManifest } from "../../model/release.ts";
import { withReferences } from "./late-texts.ts";
import { normalize, type Placement } from "./normalize.ts";
import { type ResolvedManifest, resolveReferences, type UnsettledText } from "./references.ts";

/** One declared object, normalised, with what the planner must know of where it came from. */
export interface DesiredObject {
  readonly key: string;
  readonly id: ObjectId;
  readonly stage: Stage;
  /** The resource id in the compilation. */
  readonly resource: string;
  readonly object: KubeObject;
  /** Where an adapter declares it; unknown for one that a release recorded. */
  readonly where?: Position;
  /** Resource ids that it waits for, besides its annotations. */
  readonly dependsOn: readonly string[];
  /** Set by `ignoreChanges` on a live object that has something to ignore. */
  readonly ignoring?: Ignoring | undefined;
  /** References that were left for later: a token stands in the place of each until `settleLateTexts`. */
  readonly references?: readonly UnsettledText[] | undefined;
  /** Set by `settleLateTexts` where there are such references. */
  readonly late?: readonly LateText[] | undefined;
  /** Set with `late`, where what is ignored may hold a Secret's value. */
  readonly keptSecrets?: readonly KeptSecret[] | undefined;
  /** Set by `rememberSecrets`. */
  readonly formerSecrets?: readonly string[] | undefined;
}

interface Ignoring {
  /** The whole manifest, with what is not sent. */
  readonly declared: KubeObject;
  /** Set when live values go along: the update must not happen if they have changed since they were read. */
  readonly resourceVersion: string | undefined;
  /** What stays as it is, in the manifest's own terms. */
  readonly paths: readonly (readonly PathStep[])[];
  /** What is sent where the object is made anew: all that is to stay goes along, as nobody owns it then. */
  readonly anew: Pick<DesiredObject, "object" | "late">;
}

/** Settles references and normalises all manifests, sorted by key; every problem of every manifest comes together. */
export function declareObjects(
  manifests: readonly Manifest[],
  placement: Placement,
): Result<readonly DesiredObject[]> {
  const settled = resolveReferences(manifests);
  if (!settled.ok) return settled;
  const full = { ...placement, isNamespaced: includingDeclaredKinds(manifests, placement) };
  const results = settled.value.map((manifest) => ({
    manifest,
    result: normalize(manifest, full),
  }));
  const objects = results.flatMap(({ manifest, result }) =>
    result.ok ? [desiredOf(manifest, result.value)] : [],
  );
  const problems = [
    ...results.flatMap(({ result }) => problemsOf(result)),
    ...twiceDeclared(objects),
  ];
  if (problems.length > 0) return failed(problems);
  return ok(objects.toSorted((a, b) => (a.key < b.key ? -1 : 1)));
}

/** What a release records of the declared objects, so that a rollback can plan them again. */
export function toReleased(objects: readonly DesiredObject[]): readonly ReleasedManifest[] {
  return objects.map((desired) => {
    const { stage, resource, object, dependsOn, references } = desired;
    if (references === undefined) return { stage, resource, object, dependsOn };
    return { stage, resource, object: withReferences(desired), dependsOn, references: true };
  });
}

function desiredOf(manifest: ResolvedManifest, object: KubeObject): DesiredObject {
  const id = idOf(object);
  const { stage, dependsOn, id: resource, where, references } = manifest;
  return {
    ...{ key: keyOf(id), id, stage, resource, object, dependsOn },
    ...(where === undefined ? {} : { where }),
    ...(references.length === 0 ? {} : { references }),
  };
}

/** A kind whose CRD this deployment creates is known before the cluster serves it. */
function includingDeclaredKinds(
  manifests: readonly Manifest[],
  placement: Placement,
): Placement["isNamespaced"] {
  const scopes = new Map<string, boolean>();
  for (const { object } of manifests) {
    if (object.kind !== "CustomResourceDefinition" || !isObject(object.spec)) continue;
    const { spec } = object;
    for (const version of listAt(spec, "versions")) {
      const apiVersion = `${textAt(spec, "group")}/${textAt(version, "name")}`;
      scopes.set(`${apiVersion} ${textAt(spec, "names", "kind")}`, at(spec, "scope") !== "Cluster");
    }
  }
  return (apiVersion, kind) =>
    scopes.get(`${apiVersion} ${kind}`) ?? placement.isNamespaced(apiVersion, kind);
}

function twiceDeclared(objects: readonly DesiredObject[]): readonly Problem[] {
  const byKey = Map.groupBy(objects, (object) => object.key);
  return [...byKey.values()]
    .filter((same) => same.length > 1)
    .map((same) => ({
      what: `${nameOf((same[0] as DesiredObject).id)} is declared by ${same.length} resources: ${same
        .map(({ stage, resource }) => `${stage}/${resource}`)
        .toSorted()
        .join(", ")}`,
      fix: "Give them one resource id so that they are unified, or different names",
      where: declaredAt(...same),
    }));
}

/** Kinds that the caller must look up in the cluster before it can call `declareObjects`, sorted. */
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
