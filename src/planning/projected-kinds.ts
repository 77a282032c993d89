import type { ApiFailure, ApiResult } from "../model/cluster/api/api-failure.ts";
import {
  apiNames,
  crdName,
  type ServedApis,
  type VersionedKind,
  versionedKind,
  withDefinitions,
  withoutKinds,
} from "../model/cluster/api/served-apis.ts";
import { isCrd } from "../model/cluster/namespaces-and-crds.ts";
import type {
  UpstreamChange,
  UpstreamDeployments,
} from "../model/deployments/other-deployments.ts";
import { at, isObject, listAt, textAt } from "../model/json.ts";
import { formatApiVersion, keyOf, type TypeMeta } from "../model/object.ts";
import type { Cluster, KindInfo } from "../ports/kubernetes.ts";

/** The kinds that the earlier deployments define, and the objects that they delete. */
interface ProjectedKinds {
  readonly deleted: UpstreamDeployments["deleted"];
  readonly kinds: readonly KindInfo[];
}

/** Returns the answers about APIs as they are after the earlier deployments. */
export function projectedApis(
  cluster: Cluster,
  projected: ProjectedKinds,
): Pick<Cluster, "apis" | "servesApi"> {
  return {
    apis: async () => {
      const answer = await cluster.apis();
      return answer.ok ? { ok: true, value: projectApis(answer.value, projected) } : answer;
    },
    servesApi: async (name) => {
      if (apiNames(projected.kinds).includes(name)) return { ok: true, value: true };
      const all = await cluster.apis();
      // The API server still serves the kinds that an earlier deployment is going to remove.
      if (all.ok && all.value.names.includes(name)) {
        return { ok: true, value: projectApis(all.value, projected).names.includes(name) };
      }
      return cluster.servesApi(name);
    },
  };
}

function projectApis(apis: ServedApis, { deleted, kinds }: ProjectedKinds): ServedApis {
  const remaining = withoutKinds(apis, (kind) => deleted.has(crdKey(kind)));
  return withDefinitions(remaining, kinds);
}

/** Returns the kind as it is after the earlier deployments. */
export function projectKind(
  answer: ApiResult<KindInfo>,
  { deleted, kinds }: ProjectedKinds,
  isMeant: (each: KindInfo) => boolean,
): ApiResult<KindInfo> {
  if (answer.ok && !isEnded(answer.value, { deleted, kinds })) return answer;
  const now = answer.ok ? unknownKind : answer;
  const pendingKind = now.failure.reason === "unknown-kind" ? kinds.find(isMeant) : undefined;
  return pendingKind === undefined ? now : { ok: true, value: pendingKind };
}

/** Reports whether its definition is deleted, or changed so that it doesn't serve this version. */
function isEnded(kind: KindInfo, { deleted, kinds }: ProjectedKinds): boolean {
  if (deleted.has(crdKey(kind))) return true;
  const served = kinds.filter((each) => crdName(each) === crdName(kind));
  return served.length > 0 && !served.some(({ version }) => version === kind.version);
}

const unknownKind = {
  ok: false,
  failure: {
    reason: "unknown-kind",
    status: 404,
    message: "the server could not find the requested resource",
    causes: [],
  },
} as const satisfies { readonly ok: false; readonly failure: ApiFailure };

function crdKey(info: VersionedKind): string {
  const kind = "CustomResourceDefinition";
  return keyOf({ group: "apiextensions.k8s.io", kind, namespace: "", name: crdName(info) });
}

/** Reports whether a kind has this version and name. */
export function isKind(each: KindInfo, { apiVersion, kind }: TypeMeta): boolean {
  return formatApiVersion(each) === apiVersion && each.kind === kind;
}

/** Lists the kinds that a CustomResourceDefinition will serve, with the stored version first. */
export function projectedKinds({ id, desired, predicted }: UpstreamChange): readonly KindInfo[] {
  if (!isCrd(id)) return [];
  const crd = predicted ?? desired;
  const namespaced = textAt(crd, "spec", "scope") === "Namespaced";
  const versions = listAt(crd, "spec", "versions")
    .filter((version) => at(version, "served") === true)
    .toSorted((a, b) => Number(at(b, "storage") === true) - Number(at(a, "storage") === true));
  return versions.map((version) => ({
    ...versionedKind(crd, version),
    namespaced,
    hasStatus: isObject(at(version, "subresources", "status")),
    listable: true,
  }));
}
