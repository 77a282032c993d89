import { minimalDeployment } from "../../deploying/queries/locate-deployment.ts";
import { apiProblem } from "../../model/cluster/api/api-failure.ts";
import { formatApiVersion, idOf, type KubeObject } from "../../model/object.ts";
import { UserError } from "../../model/problems/errors.ts";
import { suggestClosest, summarizeList } from "../../model/text/suggest.ts";
import type { KindInfo } from "../../ports/kubernetes.ts";
import type { TargetCluster, World } from "../../ports/world.ts";

/** An object of the cluster, as the user names it. */
export interface NamedObject {
  /** Reports whether the user's word means this kind. */
  isKind(kind: KindInfo): boolean;
  /** The kind as the user wrote it. */
  readonly kind: string;
  readonly name: string;
  readonly context: string | undefined;
  readonly namespace: string | undefined;
  /** Other words for kinds, such as `deploy`, for suggestions. */
  readonly kindWords: readonly string[];
}

/**
 * Reads the object with its managedFields. If it doesn't exist, throws a UserError that lists the
 * objects of the kind.
 */
export async function readNamedObject(world: World, named: NamedObject): Promise<KubeObject> {
  const target = await world.target(minimalDeployment("", "", named.context));
  const kind = await findKind(target, named);
  const namespace = named.namespace ?? target.namespace ?? "default";
  const { cluster } = target;
  const address = {
    apiVersion: formatApiVersion(kind),
    kind: kind.kind,
    namespace,
    name: named.name,
  };
  const doing = `read ${kind.kind} ${named.name}`;
  const answer = await cluster.read(address);
  if (!answer.ok) throw new UserError([apiProblem(cluster, doing, answer.failure)]);
  if (answer.value !== undefined) return answer.value;
  throw await noSuchObject(target, kind, { name: named.name, namespace });
}

async function findKind(
  { cluster }: TargetCluster,
  { kind, isKind, kindWords }: NamedObject,
): Promise<KindInfo> {
  const answer = await cluster.kinds();
  if (!answer.ok)
    throw new UserError([apiProblem(cluster, "list the kinds of the cluster", answer.failure)]);
  // The preferred version of a group comes first, and Kubernetes' own groups come before
  // extensions.
  const found = answer.value.find(isKind);
  if (found !== undefined) return found;
  const names = [...new Set([...kindWords, ...answer.value.map((each) => each.kind)])];
  const fix = "Name a kind as in deploy/web, or with its group as in Rollout.argoproj.io/web";
  throw new UserError([
    {
      code: "unknown-kind",
      where: [],
      what: `The cluster has no kind "${kind}"`,
      ...suggestClosest(kind, names, fix),
    },
  ]);
}

const maxListed = 20;

async function noSuchObject(
  { cluster }: TargetCluster,
  kind: KindInfo,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): Promise<UserError> {
  const place = kind.namespaced ? namespace : undefined;
  const others = await cluster.listMetadata(formatApiVersion(kind), kind.kind, place);
  const names = others.ok ? others.value.items.map((each) => idOf(each).name) : [];
  const where = place === undefined ? "" : ` in namespace ${place}`;
  const fixes =
    names.length === 0
      ? {
          fix: "Choose another namespace with --namespace",
          otherwise: ["choose another cluster with --context"],
        }
      : suggestClosest(name, names, `Choose one of ${summarizeList(names, maxListed)}`);
  const what = `${kind.kind} ${name} doesn't exist${where}`;
  return new UserError([{ code: "object-not-found", where: [], what, ...fixes }]);
}
