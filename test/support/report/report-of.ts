import { parse } from "yaml";
import { sameJson } from "../../../src/model/json.ts";
import { idOf, type KubeObject, keyOf, withMetadata } from "../../../src/model/object.ts";
import type { Deletion } from "../../../src/model/plan/deletion.ts";
import type { Change, Plan } from "../../../src/model/plan/plan.ts";
import type { Compilation, LayoutNode, Manifest } from "../../../src/model/sources/compilation.ts";
import type { DeploymentReport } from "../../../src/report/comment/comment-input.ts";
import {
  live,
  planned,
  shopCompilation,
  shopPlan,
  shopRelease,
  shopReport,
} from "../shop/shop-report.ts";

/**
 * The content of two commits, the last release and the cluster, as YAML.
 * An omitted part has the content of the part before it.
 */
export interface Situation {
  /** Undefined for a new deployment, or if no commits are compared. */
  readonly base?: string | undefined;
  readonly head: string;
  readonly recorded?: string;
  /** The manifests of a later release that failed. */
  readonly failed?: string;
  readonly live?: string;
  /** Returns the API server's version of an object, by its name. */
  readonly predicted?: Readonly<Record<string, (object: KubeObject) => KubeObject>>;
  /** The parameters of the only adapter, at the base and at the head. */
  readonly params?: readonly [base: LayoutNode["params"], head: LayoutNode["params"]];
}

/** Returns the preview of a situation with its plan. `changes` overrides the result. */
export function reportOf(
  situation: Situation,
  changes: Partial<DeploymentReport> = {},
): DeploymentReport {
  const { base, head, recorded = base ?? "", params = [{}, {}] } = situation;
  const plan = planOf(situation, recorded, situation.live ?? recorded);
  const release = shopRelease(manifestsIn(recorded));
  return shopReport(
    {
      base: base === undefined ? undefined : compilationIn(base, params[0]),
      head: compilationIn(head, params[1]),
      plan,
      release: recorded === "" ? undefined : 7,
      ...changes,
    },
    [
      ...(recorded === "" ? [] : [release]),
      ...(situation.failed === undefined
        ? []
        : [shopRelease(manifestsIn(situation.failed), { revision: 8, status: "failed" })]),
    ],
  );
}

function planOf({ head, predicted = {} }: Situation, recorded: string, inCluster: string): Plan {
  const byKey = new Map(
    objectsIn(inCluster).map((object) => [keyOf(idOf(object)), inClusterAs(object)]),
  );
  const manifests = manifestsIn(head);
  const changes = manifests.map(({ stage, id, object }): Change => {
    const desired = object as KubeObject;
    const before = byKey.get(keyOf(idOf(desired)));
    const make = predicted[idOf(desired).name] ?? ((made: KubeObject) => made);
    const after = live(withOthers(make(desired), before));
    const same = before !== undefined && sameJson(withoutOwners(after), withoutOwners(before));
    const change = planned(stage, id, desired, before);
    const action = before === undefined ? "create" : same ? "unchanged" : "update";
    return {
      ...change,
      action,
      steps: same ? [] : [{ type: "apply" }],
      predicted: before && after,
    };
  });
  const declared = new Set(changes.map(({ key }) => key));
  const deletions = manifestsIn(recorded).flatMap(({ stage, object }): Deletion[] => {
    const id = idOf(object as KubeObject);
    const found = byKey.get(keyOf(id));
    if (declared.has(keyOf(id)) || found === undefined) return [];
    return [
      {
        key: keyOf(id),
        id,
        stage,
        apiVersion: found.apiVersion,
        uid: "uid",
        live: found,
        lastSent: { sent: object as KubeObject, secretValues: [] },
        after: [],
      },
    ];
  });
  return shopPlan({ changes, deletions });
}

/** Returns the live object with the managed fields from the YAML. */
function inClusterAs(object: KubeObject): KubeObject {
  return withMetadata(live(object), { managedFields: object.metadata.managedFields ?? [] });
}

function withOthers(object: KubeObject, before: KubeObject | undefined): KubeObject {
  return withMetadata(object, { managedFields: before?.metadata.managedFields ?? [] });
}

function withoutOwners({ status: _status, ...object }: KubeObject): KubeObject {
  return withMetadata(object as KubeObject, { managedFields: [], uid: "", resourceVersion: "" });
}

function compilationIn(yaml: string, params: LayoutNode["params"]): Compilation {
  const resources = manifestsIn(yaml);
  const { layout, ...rest } = shopCompilation("1", "0", "info");
  const [first] = layout.composites;
  if (first === undefined) throw new Error("The shop uses an adapter.");
  const names = resources.map(({ stage, id }) => `${stage}/${id}`);
  const node = { ...first, params, resources: names, composites: [] };
  return { ...rest, trace: undefined, layout: { ...layout, composites: [node] }, resources };
}

/** The parsed manifests. Most situations repeat the same content, and in some tests it is large. */
const parsed = new Map<string, readonly Manifest[]>();

/**
 * Parses manifests. The resource ID is the kind and name, unless a comment above the document sets
 * it.
 * Another comment sets a dependency.
 */
function manifestsIn(yaml: string): readonly Manifest[] {
  const manifests = parsed.get(yaml) ?? parseManifests(yaml);
  parsed.set(yaml, manifests);
  return manifests;
}

function parseManifests(yaml: string): readonly Manifest[] {
  return yaml.split(/^---$/m).flatMap((text) => {
    const object = parse(text);
    if (object === null) return [];
    const id = /^# id: (\S+)/m.exec(text)?.[1];
    const dependsOn = /^# depends on: (\S+)/m.exec(text)?.slice(1) ?? [];
    const name = String(object.metadata?.name ?? "");
    const metadata = { namespace: "shop", ...object.metadata };
    const isCluster = ["CustomResourceDefinition", "Namespace"].includes(object.kind);
    return [
      {
        type: "manifest",
        stage: "app",
        id: id ?? `${String(object.kind).toLowerCase()}-${name}`,
        object: { ...object, metadata: isCluster ? object.metadata : metadata },
        dependsOn,
      } satisfies Manifest,
    ];
  });
}

function objectsIn(yaml: string): readonly KubeObject[] {
  return manifestsIn(yaml).map(({ object }) => object as KubeObject);
}
