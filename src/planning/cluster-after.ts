import type { Answer } from "../model/cluster/api-failure.ts";
import { isDefinition } from "../model/cluster/holder.ts";
import type { Earlier, EarlierChange } from "../model/earlier.ts";
import { at, listAt, textAt } from "../model/json.ts";
import { groupOf, idOf, type KubeObject, keyOf, type ObjectAddress } from "../model/object.ts";
import type { Cluster, KindInfo } from "../ports/kubernetes.ts";
import { isKnown } from "./sample-pod.ts";

/**
 * The cluster as it will be once the deployments that go first have been deployed: what they make, change and delete is answered by their
 * plans, everything else by the server. Nothing can be dry-run in a namespace that only comes; the server is not asked there.
 */
export function clusterAfter(cluster: Cluster, earlier: Earlier | undefined): Cluster {
  if (earlier === undefined || earlier.changes.size + earlier.deleted.size === 0) return cluster;
  const coming = comingObjects(earlier);
  const kinds = [...earlier.changes.values()].flatMap(definedKinds);
  return {
    ...cluster,
    kind: async (apiVersion, kind) => {
      const isMeant = (each: KindInfo) => versionOf(each) === apiVersion && each.kind === kind;
      return orElse(await cluster.kind(apiVersion, kind), kinds.find(isMeant));
    },
    preferredKind: async (group, kind) => {
      const isMeant = (each: KindInfo) => each.group === group && each.kind === kind;
      return orElse(await cluster.preferredKind(group, kind), kinds.find(isMeant));
    },
    read: async (address) => {
      const key = keyOf({ ...address, group: groupOf(address.apiVersion) });
      const answer = absentIfUnserved(await cluster.read(address), address, kinds);
      if (!answer.ok) return answer;
      if (earlier.deleted.has(key)) return { ...answer, value: undefined };
      return { ...answer, value: coming.get(key) ?? answer.value };
    },
    list: async (apiVersion, kind, namespace, labelSelector) => {
      const answer = await cluster.list(apiVersion, kind, namespace, labelSelector);
      // Only records and Pods are asked for by labels.
      if (labelSelector !== undefined) return answer;
      const comes = [...coming.values()].filter(
        (each) =>
          each.apiVersion === apiVersion &&
          each.kind === kind &&
          (namespace === undefined || each.metadata.namespace === namespace),
      );
      const isEmpty = !answer.ok && isAbsence(answer, { apiVersion, kind, namespace });
      const listed = isEmpty ? emptyList : answer;
      if (!listed.ok) return listed;
      const { items, resourceVersion } = listed.value;
      const stays = items.filter((each) => {
        const key = keyOf(idOf(each));
        return !earlier.deleted.has(key) && !comes.some((other) => keyOf(idOf(other)) === key);
      });
      return { ...listed, value: { items: [...stays, ...comes], resourceVersion } };
    },
    create: async (object, options) => {
      const { namespace } = idOf(object);
      const isToCome = options?.dryRun === true && isNew(`core:Namespace::${namespace}`);
      return isToCome ? { ok: true, value: object } : cluster.create(object, options);
    },
  };

  function isNew(key: string): boolean {
    const change = earlier?.changes.get(key);
    return change !== undefined && change.live === undefined;
  }

  function isAbsence(
    answer: Extract<Answer<unknown>, { ok: false }>,
    list: { apiVersion: string; kind: string; namespace: string | undefined },
  ): boolean {
    const { reason } = answer.failure;
    if (reason === "not-found") return isNew(`core:Namespace::${list.namespace}`);
    return reason === "unknown-kind" && isDefined(list, kinds);
  }
}

const emptyList = { ok: true, value: { items: [], resourceVersion: "" } } as const;

function orElse(answer: Answer<KindInfo>, coming: KindInfo | undefined): Answer<KindInfo> {
  const isUnknown = !answer.ok && answer.failure.reason === "unknown-kind";
  return isUnknown && coming !== undefined ? { ok: true, value: coming } : answer;
}

function absentIfUnserved(
  answer: Answer<KubeObject | undefined>,
  address: ObjectAddress,
  kinds: readonly KindInfo[],
): Answer<KubeObject | undefined> {
  const isUnknown = !answer.ok && answer.failure.reason === "unknown-kind";
  return isUnknown && isDefined(address, kinds) ? { ok: true, value: undefined } : answer;
}

function isDefined(
  { apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">,
  kinds: readonly KindInfo[],
): boolean {
  return kinds.some((each) => versionOf(each) === apiVersion && each.kind === kind);
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

function versionOf({ group, version }: KindInfo): string {
  return `${group}/${version}`;
}

function comingObjects({ changes }: Earlier): ReadonlyMap<string, KubeObject> {
  return new Map([...changes].flatMap(([key, change]) => whatComes(change).map((it) => [key, it])));
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
