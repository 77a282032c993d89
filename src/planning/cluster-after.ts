import type { ApiFailure, ApiResult } from "../model/cluster/api-failure.ts";
import { isCrd, isNamespace, namespaceKey } from "../model/cluster/namespaces-and-crds.ts";
import { at, type JsonObject, listAt, textAt } from "../model/json.ts";
import {
  formatApiVersion,
  groupOf,
  idOf,
  type KubeObject,
  keyOf,
  type ObjectAddress,
} from "../model/object.ts";
import type { UpstreamChange, UpstreamDeployments } from "../model/upstream-deployments.ts";
import type { Cluster, KindInfo } from "../ports/kubernetes.ts";
import { isKnown } from "../preflight/planned-pods.ts";
import { schemasAmong } from "../schema/custom-types.ts";

/**
 * Returns the cluster as it will be after the deployments that run earlier.
 * Their plans answer for the objects that they create, change and delete. The API server answers
 * for everything else, except for dry runs in a namespace that doesn't exist yet.
 */
export function clusterAfter(cluster: Cluster, earlier: UpstreamDeployments | undefined): Cluster {
  if (earlier === undefined || earlier.changes.size + earlier.deleted.size === 0) return cluster;
  const after = stateAfter(earlier);
  return {
    ...cluster,
    kind: async (apiVersion, kind) => {
      const answer = await cluster.kind(apiVersion, kind);
      return kindAfter(answer, after, (each) => isKind(each, { apiVersion, kind }));
    },
    preferredKind: async (group, kind) => {
      const answer = await cluster.preferredKind(group, kind);
      return kindAfter(answer, after, (each) => each.group === group && each.kind === kind);
    },
    schema: async (apiVersion, kind) => {
      const value = after.schemas.get(`${apiVersion}/${kind}`);
      return value === undefined ? cluster.schema(apiVersion, kind) : { ok: true, value };
    },
    read: async (address) => objectAfter(await cluster.read(address), after, address),
    // qvs lists only records and Pods by labels.
    list: async (apiVersion, kind, namespace, labels) => {
      const answer = await cluster.list(apiVersion, kind, namespace, labels);
      if (labels !== undefined) return answer;
      return listAfter(answer, after, { apiVersion, kind }, namespace);
    },
    listMetadata: async (apiVersion, kind, namespace, labels, fields) => {
      const answer = await cluster.listMetadata(apiVersion, kind, namespace, labels, fields);
      if (labels !== undefined || fields !== undefined) return answer;
      return listAfter(answer, after, { apiVersion, kind }, namespace);
    },
    apply: async (object, options) => {
      const { namespace } = idOf(object);
      const isRefused = options.dryRun && isGone(namespace, after);
      return isRefused ? missingNamespace(namespace) : cluster.apply(object, options);
    },
    create: async (object, options) => {
      const answer = options?.dryRun === true ? dryRunAfter(object, after) : undefined;
      return answer ?? cluster.create(object, options);
    },
  };
}

type List = Awaited<ReturnType<Cluster["list"]>>;
type TypeMeta = Pick<KubeObject, "apiVersion" | "kind">;

/** The differences between the cluster now and after the earlier deployments. */
interface StateAfter {
  readonly deleted: UpstreamDeployments["deleted"];
  readonly coming: ReadonlyMap<string, KubeObject>;
  readonly comingOfKind: ReadonlyMap<string, readonly KubeObject[]>;
  readonly newNamespaces: ReadonlySet<string>;
  readonly kinds: readonly KindInfo[];
  /** Schemas by `example.com/v1/Kind`. */
  readonly schemas: ReadonlyMap<string, JsonObject>;
}

function stateAfter(earlier: UpstreamDeployments): StateAfter {
  const changes = [...earlier.changes.values()];
  const coming = comingObjects(earlier);
  const created = changes.filter(({ live }) => live === undefined);
  return {
    deleted: earlier.deleted,
    coming,
    comingOfKind: Map.groupBy(coming.values(), kindOf),
    newNamespaces: new Set(created.filter(({ id }) => isNamespace(id)).map(({ id }) => id.name)),
    kinds: changes.flatMap(definedKinds),
    schemas: schemasAmong([...coming.values()]),
  };
}

function kindAfter(
  answer: ApiResult<KindInfo>,
  { deleted, kinds }: StateAfter,
  isMeant: (each: KindInfo) => boolean,
): ApiResult<KindInfo> {
  if (answer.ok) return deleted.has(definitionKey(answer.value)) ? unknownKind : answer;
  const comes = answer.failure.reason === "unknown-kind" ? kinds.find(isMeant) : undefined;
  return comes === undefined ? answer : { ok: true, value: comes };
}

function objectAfter(
  answer: ApiResult<KubeObject | undefined>,
  after: StateAfter,
  address: ObjectAddress,
): ApiResult<KubeObject | undefined> {
  const now = isOfComingKind(answer, after, address) ? nothing : answer;
  if (!now.ok) return now;
  const key = keyOf({ ...address, group: groupOf(address.apiVersion) });
  if (after.deleted.has(key) || isGone(address.namespace, after)) return nothing;
  return { ...now, value: after.coming.get(key) ?? now.value };
}

function listAfter(
  answer: List,
  after: StateAfter,
  ofKind: TypeMeta,
  namespace: string | undefined,
): List {
  const now = isOfComingPlace(answer, after, ofKind, namespace) ? emptyList : answer;
  if (!now.ok) return now;
  const comes = (after.comingOfKind.get(kindOf(ofKind)) ?? []).filter(
    ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
  );
  const replaced = new Set(comes.map((each) => keyOf(idOf(each))));
  const stays = now.value.items.filter((each) => {
    const id = idOf(each);
    const key = keyOf(id);
    return !after.deleted.has(key) && !isGone(id.namespace, after) && !replaced.has(key);
  });
  return { ...now, value: { ...now.value, items: [...stays, ...comes] } };
}

/** Returns the answer to a dry run if it is known without the API server. */
function dryRunAfter(object: KubeObject, after: StateAfter): ApiResult<KubeObject> | undefined {
  const { namespace } = idOf(object);
  if (after.newNamespaces.has(namespace)) return { ok: true, value: object };
  return isGone(namespace, after) ? missingNamespace(namespace) : missingClass(object, after);
}

function isGone(namespace: string, { deleted }: StateAfter): boolean {
  return deleted.has(namespaceKey(namespace));
}

function isOfComingPlace(
  answer: ApiResult<unknown>,
  after: StateAfter,
  ofKind: TypeMeta,
  namespace = "",
): boolean {
  const isMissing = !answer.ok && answer.failure.reason === "not-found";
  const isInNew = isMissing && after.newNamespaces.has(namespace);
  return isInNew || isOfComingKind(answer, after, ofKind);
}

function isOfComingKind(
  answer: ApiResult<unknown>,
  { kinds }: StateAfter,
  ofKind: TypeMeta,
): boolean {
  const isUnknown = !answer.ok && answer.failure.reason === "unknown-kind";
  return isUnknown && kinds.some((each) => isKind(each, ofKind));
}

const nothing = { ok: true, value: undefined } as const;
const emptyList = { ok: true, value: { items: [], resourceVersion: "" } } as const;

function failure(reason: ApiFailure["reason"], status: number, message: string) {
  return { ok: false, failure: { reason, status, message, causes: [] } } as const;
}

const unknownKind = failure(
  "unknown-kind",
  404,
  "the server could not find the requested resource",
);

/** Returns the API server's failure for a missing namespace. */
function missingNamespace(namespace: string) {
  return failure("not-found", 404, `namespaces "${namespace}" not found`);
}

/** Returns the API server's failure for a Pod whose class an earlier deployment deletes. */
function missingClass(
  object: KubeObject,
  { deleted }: StateAfter,
): ApiResult<KubeObject> | undefined {
  if (object.kind !== "Pod") return undefined;
  const [priority, runtime] = ["priorityClassName", "runtimeClassName"].map((field) =>
    textAt(object, "spec", field),
  );
  if (deleted.has(classKey("scheduling.k8s.io", "PriorityClass", priority))) {
    return failure("forbidden", 403, `no PriorityClass with name ${priority} was found`);
  }
  return deleted.has(classKey("node.k8s.io", "RuntimeClass", runtime))
    ? failure("forbidden", 403, `pod rejected: RuntimeClass "${runtime}" not found`)
    : undefined;
}

function definitionKey({ group, plural }: KindInfo): string {
  const kind = "CustomResourceDefinition";
  return keyOf({ group: "apiextensions.k8s.io", kind, namespace: "", name: `${plural}.${group}` });
}

function kindOf({ apiVersion, kind }: TypeMeta): string {
  return `${apiVersion} ${kind}`;
}

function isKind(each: KindInfo, { apiVersion, kind }: TypeMeta): boolean {
  return formatApiVersion(each) === apiVersion && each.kind === kind;
}

/** Lists the kinds that a CustomResourceDefinition will serve, with the stored version first. */
function definedKinds({ id, desired, predicted }: UpstreamChange): readonly KindInfo[] {
  if (!isCrd(id)) return [];
  const definition = predicted ?? desired;
  const name = (field: string) => textAt(definition, "spec", "names", field) ?? "";
  const namespaced = textAt(definition, "spec", "scope") === "Namespaced";
  const versions = listAt(definition, "spec", "versions")
    .filter((version) => at(version, "served") === true)
    .toSorted((a, b) => Number(at(b, "storage") === true) - Number(at(a, "storage") === true));
  return versions.map((version) => ({
    group: textAt(definition, "spec", "group") ?? "",
    version: textAt(version, "name") ?? "",
    kind: name("kind"),
    plural: name("plural"),
    namespaced,
    listable: true,
  }));
}

function comingObjects({ changes, deleted }: UpstreamDeployments): ReadonlyMap<string, KubeObject> {
  const stays = [...changes].filter(([key]) => !deleted.has(key));
  return new Map(stays.flatMap(([key, change]) => whatComes(change).map((it) => [key, it])));
}

/**
 * Returns the object after its deployment; none if the future of a live object is unknown.
 * For a new object that can contain values of a Secret, it returns only the metadata.
 */
function whatComes(change: UpstreamChange): readonly KubeObject[] {
  const { id, live, desired, predicted } = change;
  const isSecret = id.group === "" && id.kind === "Secret";
  const isOpen = !isSecret && isKnown(change) && change.redacted === undefined;
  if (live !== undefined) return isOpen && predicted !== undefined ? [predicted] : [];
  const { apiVersion, kind, metadata } = desired;
  return [isOpen ? (predicted ?? desired) : { apiVersion, kind, metadata }];
}

function classKey(group: string, kind: string, name: string | undefined): string {
  return keyOf({ group, kind, namespace: "", name: name ?? "" });
}
