import { waitAnnotation } from "../../../src/model/annotations.ts";
import { isBuiltInGroup } from "../../../src/model/cluster/api/built-in-groups.ts";
import { isObject, textAt } from "../../../src/model/json.ts";
import { groupOf, type KubeObject, withMetadata } from "../../../src/model/object.ts";
import type { Batch, ManifestSource } from "./play-batch.ts";
import { manifestsFrom, objectsIn } from "./sources.ts";

/** A placeholder for the name of a second namespace. */
export const elsewhere = "elsewhere";

export function secondNamespace(namespace: string): string {
  return `${namespace}-two`;
}

/** Returns the objects before and after the changes. */
export async function stagesOf(
  { from, given = "", prior = [], changes }: Batch,
  namespace: string,
): Promise<readonly [readonly KubeObject[], readonly KubeObject[]]> {
  const taken = await Promise.all(from.map(take));
  const before = prior.reduce<KubeObject[]>(
    (objects, edit) => edit(objects),
    structuredClone([
      ...from.flatMap(({ isNew }, index) => (isNew ? [] : (taken[index] ?? []))),
      ...objectsIn(given),
    ]),
  );
  const all = byName([
    ...before,
    ...from.flatMap((each, index) => (each.isNew ? (taken[index] ?? []) : [])),
  ]);
  const edits = changes.flatMap(([, ...each]) => each);
  const after = edits.reduce<KubeObject[]>(
    (objects, edit) => edit(objects),
    structuredClone([...all]),
  );
  const groups = groupsIn([...before, ...after]);
  return [uniqueNames(before, groups, namespace), uniqueNames(after, groups, namespace)];
}

async function take({ from, only, named }: ManifestSource): Promise<readonly KubeObject[]> {
  const found = await manifestsFrom(from);
  const chosen = found.filter(
    ({ kind, metadata }) =>
      !affectsAllTests.has(kind) && (only?.includes(`${kind}/${metadata["name"]}`) ?? true),
  );
  if (only !== undefined && chosen.length < only.length) throw new Error(`${from} lacks ${only}`);
  return chosen.map((object, index) => {
    const { namespace: _, name, ...metadata } = object.metadata;
    const own = named?.(String(name), index) ?? name;
    return { ...object, metadata: { ...metadata, name: own ?? null } };
  });
}

/** Returns the last object of each name. */
function byName(objects: readonly KubeObject[]): readonly KubeObject[] {
  const named = objects.map((each) => [`${each.kind}/${each.metadata["name"]}`, each] as const);
  return [...new Map(named).values()];
}

/** Kinds that would affect all other tests. */
const affectsAllTests: ReadonlySet<string> = new Set([
  ...["APIService", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
  ...["Namespace", "PodSecurityPolicy", "ResourceQuota"],
]);

const clusterScoped: ReadonlySet<string> = new Set([
  ...["ClusterRole", "ClusterRoleBinding", "CSIDriver", "PriorityClass", "StorageClass"],
  ...["IngressClass", "RuntimeClass", "ValidatingAdmissionPolicy"],
]);

/** Reports whether objects of the kind keep their names in each run. */
export function keepsItsName({ kind }: KubeObject): boolean {
  return !clusterScoped.has(kind) && kind !== "CustomResourceDefinition";
}

/**
 * Returns the API groups of the batch's CustomResourceDefinitions, without subgroups of another
 * one.
 */
function groupsIn(objects: readonly KubeObject[]): readonly string[] {
  const all = objects.flatMap((object) =>
    object.kind === "CustomResourceDefinition" ? (textAt(object, "spec", "group") ?? []) : [],
  );
  const groups = [...new Set(all)].filter((group) => group.includes("."));
  return groups.filter((group) => !all.some((other) => group.endsWith(`.${other}`)));
}

/** Gives cluster-scoped objects names that are unique to this run. */
function uniqueNames(
  objects: readonly KubeObject[],
  groups: readonly string[],
  namespace: string,
): readonly KubeObject[] {
  const rename = (text: string) =>
    groups.reduce((renamed, group) => renamed.replaceAll(group, `${namespace}.${group}`), text);
  return objects.map((object) => {
    const own = withoutWait(inNamespace(JSON.parse(rename(JSON.stringify(object))), namespace));
    if (!clusterScoped.has(own.kind)) return own;
    const name = `${own.metadata["name"]}-${namespace}`;
    return withoutDefault({ ...own, metadata: { ...own.metadata, name } });
  });
}

/**
 * Returns a custom resource with the wait annotation, because no controller of its kind runs here.
 */
function withoutWait(object: KubeObject): KubeObject {
  const { annotations = {} } = object.metadata;
  if (isBuiltInGroup(groupOf(object.apiVersion)) || !isObject(annotations)) return object;
  const wait = { [waitAnnotation]: "false" };
  return withMetadata(object, { annotations: { ...annotations, ...wait } });
}

function inNamespace(object: KubeObject, namespace: string): KubeObject {
  if (object.metadata["namespace"] !== elsewhere) return object;
  return { ...object, metadata: { ...object.metadata, namespace: secondNamespace(namespace) } };
}

/**
 * Removes the mark of a default class, which would affect the PersistentVolumeClaims of all tests.
 */
function withoutDefault(object: KubeObject): KubeObject {
  const text = JSON.stringify(object);
  return JSON.parse(text.replaceAll(/(is-default-class":)"true"/g, '$1"false"'));
}
