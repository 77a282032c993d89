import type { ApiFailure, ApiResult } from "../model/cluster/api/api-failure.ts";
import { missingClassMessage } from "../model/cluster/api/messages/denials.ts";
import { isNamespace, namespaceKey } from "../model/cluster/namespaces-and-crds.ts";
import { podClasses } from "../model/cluster/pods.ts";
import type {
  UpstreamChange,
  UpstreamDeployments,
} from "../model/deployments/other-deployments.ts";
import { isObject, type JsonObject } from "../model/json.ts";
import { isCoreKind, isCoreObject, kindKey } from "../model/kinds.ts";
import {
  groupOf,
  idOf,
  type KubeObject,
  keyOf,
  type ObjectAddress,
  type TypeMeta,
} from "../model/object.ts";
import type { Cluster, KindInfo } from "../ports/kubernetes.ts";
import { hasKnownValues } from "../preflight/planned-pods.ts";
import { customSchemas } from "../validation/custom-types.ts";
import { isKind, projectedApis, projectedKinds, projectKind } from "./projected-kinds.ts";

/**
 * Returns the cluster as it will be after the deployments that run earlier.
 * Their plans answer for the objects that they create, change and delete. The API server answers
 * for everything else, except for dry runs in a namespace that doesn't exist yet.
 */
export function projectedCluster(
  cluster: Cluster,
  upstream: UpstreamDeployments | undefined,
  project: ProjectChange = projectedObjects,
): Cluster {
  if (upstream === undefined || upstream.changes.size + upstream.deleted.size === 0) return cluster;
  const projected = projectState(upstream, project);
  const { shared } = cluster;
  return {
    ...cluster,
    ...projectedReads(cluster, projected),
    shared: shared && { ...shared, ...projectedReads(shared, projected) },
    kind: async (apiVersion, kind) => {
      const answer = await cluster.kind(apiVersion, kind);
      return projectKind(answer, projected, (each) => isKind(each, { apiVersion, kind }));
    },
    ...projectedApis(cluster, projected),
    schema: async (apiVersion, kind) => {
      const value = projected.schemas.get(`${apiVersion}/${kind}`);
      return value === undefined ? cluster.schema(apiVersion, kind) : { ok: true, value };
    },
    listMetadata: async (apiVersion, kind, namespace, labels, fields) => {
      const answer = await cluster.listMetadata(apiVersion, kind, namespace, labels, fields);
      if (labels !== undefined || fields !== undefined) return answer;
      return projectList(answer, projected, { apiVersion, kind }, namespace);
    },
    apply: async (object, options) => {
      const { namespace } = idOf(object);
      const isRefused = options.dryRun && isNamespaceDeleted(namespace, projected);
      return isRefused ? missingNamespace(namespace) : cluster.apply(object, options);
    },
    create: async (object, options) => {
      const answer = options?.dryRun === true ? projectDryRun(object, projected) : undefined;
      return answer ?? cluster.create(object, options);
    },
  };
}

/** Returns the object after a change; none if it stays as the API server has it now. */
export type ProjectChange = (change: UpstreamChange) => readonly KubeObject[];

type Reads = Pick<Cluster, "read" | "list" | "preferredKind">;

function projectedReads(reads: Reads, projected: ProjectedState): Reads {
  return {
    preferredKind: async (group, kind) => {
      const answer = await reads.preferredKind(group, kind);
      return projectKind(answer, projected, (each) => each.group === group && each.kind === kind);
    },
    read: async (address) => projectObject(await reads.read(address), projected, address),
    // qvs lists only records and Pods by labels.
    list: async (apiVersion, kind, namespace, labels, name) => {
      const answer = await reads.list(apiVersion, kind, namespace, labels, name);
      if (labels !== undefined) return answer;
      const all = projectList(answer, projected, { apiVersion, kind }, namespace);
      return name === undefined ? all : namedItems(all, name);
    },
  };
}

function namedItems(answer: ListAnswer, name: string): ListAnswer {
  if (!answer.ok) return answer;
  const items = answer.value.items.filter(({ metadata }) => metadata.name === name);
  return { ...answer, value: { ...answer.value, items } };
}

/** The answer to a request for all objects of a kind. */
export type ListAnswer = Awaited<ReturnType<Cluster["list"]>>;

/** The differences between the cluster now and after the earlier deployments. */
interface ProjectedState {
  readonly deleted: UpstreamDeployments["deleted"];
  readonly pending: ReadonlyMap<string, KubeObject>;
  readonly pendingByKind: ReadonlyMap<string, readonly KubeObject[]>;
  readonly newNamespaces: ReadonlySet<string>;
  readonly kinds: readonly KindInfo[];
  /** Schemas by `example.com/v1/Kind`. */
  readonly schemas: ReadonlyMap<string, JsonObject>;
}

function projectState(upstream: UpstreamDeployments, project: ProjectChange): ProjectedState {
  const changes = [...upstream.changes.values()];
  const pending = pendingObjects(upstream, project);
  const created = changes.filter(({ live }) => live === undefined);
  return {
    deleted: upstream.deleted,
    pending,
    pendingByKind: Map.groupBy(pending.values(), typeKey),
    newNamespaces: new Set(created.filter(({ id }) => isNamespace(id)).map(({ id }) => id.name)),
    kinds: changes.flatMap(projectedKinds),
    schemas: customSchemas([...pending.values()]),
  };
}

function projectObject(
  answer: ApiResult<KubeObject | undefined>,
  projected: ProjectedState,
  address: ObjectAddress,
): ApiResult<KubeObject | undefined> {
  const now = isPendingKind(answer, projected, address) ? absent : answer;
  if (!now.ok) return now;
  const key = keyOf({ ...address, group: groupOf(address.apiVersion) });
  if (projected.deleted.has(key) || isNamespaceDeleted(address.namespace, projected)) return absent;
  const pending = projected.pending.get(key);
  return { ...now, value: pending === undefined ? now.value : inVersion(pending, address) };
}

/**
 * Returns a projected object in the requested version of its API. No API server converts it, so its
 * fields stay as its manifest declares them.
 */
function inVersion(object: KubeObject, { apiVersion }: Pick<TypeMeta, "apiVersion">): KubeObject {
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

function projectList(
  answer: ListAnswer,
  projected: ProjectedState,
  ofKind: TypeMeta,
  namespace: string | undefined,
): ListAnswer {
  const now = isPendingPlace(answer, projected, ofKind, namespace) ? emptyList : answer;
  if (!now.ok) return now;
  const pending = (projected.pendingByKind.get(typeKey(ofKind)) ?? [])
    .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace)
    .map((each) => inVersion(each, ofKind));
  const replaced = new Set(pending.map((each) => keyOf(idOf(each))));
  const remaining = now.value.items.filter((each) => {
    const id = idOf(each);
    const key = keyOf(id);
    return (
      !projected.deleted.has(key) &&
      !isNamespaceDeleted(id.namespace, projected) &&
      !replaced.has(key)
    );
  });
  return { ...now, value: { ...now.value, items: [...remaining, ...pending] } };
}

/** Returns the answer to a dry run if it is known without the API server. */
function projectDryRun(
  object: KubeObject,
  projected: ProjectedState,
): ApiResult<KubeObject> | undefined {
  const { namespace } = idOf(object);
  if (projected.newNamespaces.has(namespace)) return { ok: true, value: object };
  return isNamespaceDeleted(namespace, projected)
    ? missingNamespace(namespace)
    : missingClass(object, projected);
}

function isNamespaceDeleted(namespace: string, { deleted }: ProjectedState): boolean {
  return deleted.has(namespaceKey(namespace));
}

function isPendingPlace(
  answer: ApiResult<unknown>,
  projected: ProjectedState,
  ofKind: TypeMeta,
  namespace = "",
): boolean {
  const isMissing = !answer.ok && answer.failure.reason === "not-found";
  const isInNew = isMissing && projected.newNamespaces.has(namespace);
  return isInNew || isPendingKind(answer, projected, ofKind);
}

function isPendingKind(
  answer: ApiResult<unknown>,
  { kinds }: ProjectedState,
  ofKind: TypeMeta,
): boolean {
  const isUnknown = !answer.ok && answer.failure.reason === "unknown-kind";
  return isUnknown && kinds.some((each) => isKind(each, ofKind));
}

const absent = { ok: true, value: undefined } as const;
const emptyList = { ok: true, value: { items: [], resourceVersion: "" } } as const;

function failure(reason: ApiFailure["reason"], status: number, message: string) {
  return { ok: false, failure: { reason, status, message, causes: [] } } as const;
}

/** Returns the API server's failure for a missing namespace. */
function missingNamespace(namespace: string) {
  return failure("not-found", 404, `namespaces "${namespace}" not found`);
}

/** Returns the API server's failure for a Pod whose class an earlier deployment deletes. */
function missingClass(
  object: KubeObject,
  { deleted }: ProjectedState,
): ApiResult<KubeObject> | undefined {
  if (!isCoreObject(object, "Pod") || !isObject(object.spec)) return undefined;
  const missing = podClasses(object.spec).find((each) =>
    deleted.has(keyOf({ ...each, namespace: "" })),
  );
  return missing && failure("forbidden", 403, missingClassMessage(missing));
}

/** Returns the key of a kind in all versions of its API. */
function typeKey({ apiVersion, kind }: TypeMeta): string {
  return kindKey({ group: groupOf(apiVersion), kind });
}

function pendingObjects(
  { changes, deleted }: UpstreamDeployments,
  project: ProjectChange,
): ReadonlyMap<string, KubeObject> {
  const remaining = [...changes].filter(([key]) => !deleted.has(key));
  return new Map(remaining.flatMap(([key, change]) => project(change).map((it) => [key, it])));
}

/**
 * Returns the object after its deployment; none if the future of a live object is unknown.
 * For a new object that can contain values of a Secret, it returns only the metadata.
 */
function projectedObjects(change: UpstreamChange): readonly KubeObject[] {
  const { id, live, desired, predicted } = change;
  const isSecret = isCoreKind(id, "Secret");
  const isShowable = !isSecret && hasKnownValues(change) && change.redacted === undefined;
  if (live !== undefined) return isShowable && predicted !== undefined ? [predicted] : [];
  const { apiVersion, kind, metadata } = desired;
  return [isShowable ? (predicted ?? desired) : { apiVersion, kind, metadata }];
}
