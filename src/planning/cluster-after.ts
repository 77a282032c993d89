import type { Answer, ApiFailure } from "../model/cluster/api-failure.ts";
import { isDefinition, namespaceKey } from "../model/cluster/holder.ts";
import type { Earlier, EarlierChange } from "../model/earlier.ts";
import { at, listAt, textAt } from "../model/json.ts";
import { apiVersionOf, groupOf, idOf, type KubeObject, keyOf } from "../model/object.ts";
import type { Cluster, KindInfo } from "../ports/kubernetes.ts";
import { isKnown } from "./sample-pod.ts";

/**
 * The cluster as it will be once the deployments that go first have been deployed: what they make, change and delete is answered by their
 * plans, everything else by the server. Nothing can be dry-run in a namespace that only comes; the server is not asked there.
 */
export function clusterAfter(cluster: Cluster, earlier: Earlier | undefined): Cluster {
  if (earlier === undefined || earlier.changes.size + earlier.deleted.size === 0) return cluster;
  const { deleted } = earlier;
  const coming = comingObjects(earlier);
  const comingOfKind = Map.groupBy(coming.values(), kindOf);
  const kinds = [...earlier.changes.values()].flatMap(definedKinds);
  const isGone = (namespace: string) => deleted.has(namespaceKey(namespace));
  const isNew = (namespace = "") => {
    const change = earlier.changes.get(namespaceKey(namespace));
    return change !== undefined && change.live === undefined;
  };

  const found = async (
    asked: Promise<Answer<KindInfo>>,
    isMeant: (each: KindInfo) => boolean,
  ): Promise<Answer<KindInfo>> => {
    const answer = await asked;
    if (answer.ok) return deleted.has(definitionKey(answer.value)) ? unknownKind : answer;
    const comes = answer.failure.reason === "unknown-kind" ? kinds.find(isMeant) : undefined;
    return comes === undefined ? answer : { ok: true, value: comes };
  };

  const listed = async (
    asked: ReturnType<Cluster["list"]>,
    ofKind: Pick<KubeObject, "apiVersion" | "kind">,
    namespace: string | undefined,
  ): ReturnType<Cluster["list"]> => {
    const answer = await asked;
    const isEmpty =
      (!answer.ok && answer.failure.reason === "not-found" && isNew(namespace)) ||
      (!answer.ok && answer.failure.reason === "unknown-kind" && isDefined(ofKind, kinds));
    const current = isEmpty ? emptyList : answer;
    if (!current.ok) return current;
    const comes = (comingOfKind.get(kindOf(ofKind)) ?? []).filter(
      ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
    );
    const replaced = new Set(comes.map((each) => keyOf(idOf(each))));
    const stays = current.value.items.filter((each) => {
      const id = idOf(each);
      const key = keyOf(id);
      return !deleted.has(key) && !isGone(id.namespace) && !replaced.has(key);
    });
    return { ...current, value: { ...current.value, items: [...stays, ...comes] } };
  };

  return {
    ...cluster,
    kind: (apiVersion, kind) =>
      found(
        cluster.kind(apiVersion, kind),
        (each) => apiVersionOf(each) === apiVersion && each.kind === kind,
      ),
    preferredKind: (group, kind) =>
      found(
        cluster.preferredKind(group, kind),
        (each) => each.group === group && each.kind === kind,
      ),
    read: async (address) => {
      const key = keyOf({ ...address, group: groupOf(address.apiVersion) });
      const answer = await cluster.read(address);
      const isUnknown = !answer.ok && answer.failure.reason === "unknown-kind";
      const now = isUnknown && isDefined(address, kinds) ? nothing : answer;
      if (!now.ok) return now;
      if (deleted.has(key) || isGone(address.namespace)) return nothing;
      return { ...now, value: coming.get(key) ?? now.value };
    },
    // Only records and Pods are asked for by labels.
    list: (apiVersion, kind, namespace, labels) => {
      const asked = cluster.list(apiVersion, kind, namespace, labels);
      return labels === undefined ? listed(asked, { apiVersion, kind }, namespace) : asked;
    },
    listMetadata: (apiVersion, kind, namespace, labels, fields) => {
      const asked = cluster.listMetadata(apiVersion, kind, namespace, labels, fields);
      const isWhole = labels === undefined && fields === undefined;
      return isWhole ? listed(asked, { apiVersion, kind }, namespace) : asked;
    },
    apply: async (object, options) => {
      const { namespace } = idOf(object);
      return options.dryRun && isGone(namespace)
        ? missingNamespace(namespace)
        : cluster.apply(object, options);
    },
    create: async (object, options) => {
      const { namespace } = idOf(object);
      if (options?.dryRun !== true) return cluster.create(object, options);
      if (isNew(namespace)) return { ok: true, value: object };
      if (isGone(namespace)) return missingNamespace(namespace);
      return missingClass(object, earlier) ?? cluster.create(object, options);
    },
  };
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

/** In the words of the server. */
function missingNamespace(namespace: string) {
  return failure("not-found", 404, `namespaces "${namespace}" not found`);
}

/** In the words of the server, for a Pod of a class that goes. */
function missingClass(object: KubeObject, { deleted }: Earlier): Answer<KubeObject> | undefined {
  if (object.kind !== "Pod") return undefined;
  const [priority, runtime] = ["priorityClassName", "runtimeClassName"].map((field) =>
    textAt(object, "spec", field),
  );
  if (deleted.has(`scheduling.k8s.io:PriorityClass::${priority}`)) {
    return failure("forbidden", 403, `no PriorityClass with name ${priority} was found`);
  }
  return deleted.has(`node.k8s.io:RuntimeClass::${runtime}`)
    ? failure("forbidden", 403, `pod rejected: RuntimeClass "${runtime}" not found`)
    : undefined;
}

function definitionKey({ group, plural }: KindInfo): string {
  const kind = "CustomResourceDefinition";
  return keyOf({ group: "apiextensions.k8s.io", kind, namespace: "", name: `${plural}.${group}` });
}

function kindOf({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): string {
  return `${apiVersion} ${kind}`;
}

function isDefined(
  { apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">,
  kinds: readonly KindInfo[],
): boolean {
  return kinds.some((each) => apiVersionOf(each) === apiVersion && each.kind === kind);
}

/** The kinds that a CustomResourceDefinition will serve, the version that is stored first. */
function definedKinds({ id, desired, predicted }: EarlierChange): readonly KindInfo[] {
  if (!isDefinition(id)) return [];
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

function comingObjects({ changes, deleted }: Earlier): ReadonlyMap<string, KubeObject> {
  const stays = [...changes].filter(([key]) => !deleted.has(key));
  return new Map(stays.flatMap(([key, change]) => whatComes(change).map((it) => [key, it])));
}

/** None where nobody knows what becomes of a live object. Of what may hold a Secret only that it exists is told. */
function whatComes(change: EarlierChange): readonly KubeObject[] {
  const { id, live, desired, predicted } = change;
  const isSecret = id.group === "" && id.kind === "Secret";
  const isOpen = !isSecret && isKnown(change) && change.shows === undefined;
  if (live !== undefined) return isOpen && predicted !== undefined ? [predicted] : [];
  const { apiVersion, kind, metadata } = desired;
  return [isOpen ? (predicted ?? desired) : { apiVersion, kind, metadata }];
}
