import { ownLabels } from "../../model/annotations.ts";
import { apiProblem } from "../../model/cluster/api-failure.ts";
import type { FieldExplanation } from "../../model/field-explanation.ts";
import {
  type FieldStep,
  formatFieldPath,
  valueAtPath,
} from "../../model/fields/field-differences.ts";
import { listFieldPaths, pathWithKeys } from "../../model/fields/resolve-path.ts";
import { sameJson } from "../../model/json.ts";
import { isCoreObject } from "../../model/kinds.ts";
import { addressOf, idOf, type KubeObject, keyOf } from "../../model/object.ts";
import { UserError } from "../../model/problems/errors.ts";
import { ok, type Problem, resultProblems } from "../../model/problems/problem.ts";
import { emptyHistory } from "../../model/release-history.ts";
import { suggestClosest } from "../../model/text/suggest.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { World } from "../../ports/world.ts";
import { readReadableReleases } from "../../releases/store.ts";
import { ownersOfField } from "../../ssa/field-owners.ts";
import type { LocatedDeployment } from "../queries/locate-deployment.ts";
import { readDeclared } from "./declared-object.ts";
import { type ObjectQuestion, objectName } from "./find-object.ts";
import { findAutoscaler, nameManagers } from "./name-managers.ts";
import { createViewer } from "./shown-values.ts";

/** The question of `qvs why`. */
export interface FieldQuestion {
  readonly object: ObjectQuestion;
  readonly path: readonly FieldStep[];
}

/**
 * Explains one field of an object of a deployment, from its live value to the release that first
 * had it. It writes nothing, and shows the parts that this identity can read. Throws a UserError
 * for an unknown object or field.
 */
export async function explainField(
  world: World,
  { target: { cluster }, deployment }: LocatedDeployment,
  question: FieldQuestion,
): Promise<FieldExplanation> {
  const read = await readReadableReleases(cluster, deployment, world);
  const history = read.ok ? read.value : emptyHistory;
  const unreadable = read.ok ? [] : read.problems;
  const declared = await readDeclared(world, { deployment, history, unreadable }, question.object);
  const live = await readLive(cluster, declared.object);
  const path = resolvePath(question.path, live.object, declared.object);
  const view = createViewer(declared.secretsIn, declared.object, path);
  const shownLive = view(live.object);
  const manifest = view(declared.object);
  if (shownLive.type === "not set" && manifest.type === "not set")
    throw noSuchField(path, live.object ?? declared.object);
  const traced = manifest.type === "not set" ? undefined : await declared.sources(path);
  const { notices, ...managed } = await readManagers(cluster, deployment.name, live.object, path);
  const isSame = traced?.value === undefined || declared.hasValue(path, traced.value);
  return {
    deployment: deployment.name,
    namespace: deployment.namespace,
    key: keyOf(idOf(declared.object)),
    field: formatFieldPath(path),
    live: live.object === undefined ? { type: live.state } : shownLive,
    ...managed,
    manifest: { value: manifest, ...declared.details },
    sources: traced?.sources ?? [],
    omitted: traced?.omitted ?? 0,
    isAddedByQvs: isOwnLabel(path),
    sourceValue: isSame ? undefined : view(declared.object, traced?.value),
    first: manifest.type === "not set" ? undefined : declared.first(path),
    notices: [...declared.notices, ...live.notices, ...notices, ...(traced?.notices ?? [])],
  };
}

interface LiveObject {
  readonly object: KubeObject | undefined;
  readonly state: "no object" | "not read";
  readonly notices: readonly Problem[];
}

async function readLive(cluster: Cluster, declared: KubeObject): Promise<LiveObject> {
  const answer = await cluster.read(addressOf(declared));
  if (answer.ok) return { object: answer.value, state: "no object", notices: [] };
  const notice = apiProblem(cluster, `read ${objectName(declared)}`, answer.failure);
  return { object: undefined, state: "not read", notices: [notice] };
}

/** Returns the path with the keys of list items, and `data` for the `stringData` of a Secret. */
function resolvePath(
  path: readonly FieldStep[],
  live: KubeObject | undefined,
  declared: KubeObject,
): readonly FieldStep[] {
  const [first, ...rest] = path;
  const isStringData = first === "stringData" && isCoreObject(declared, "Secret");
  const stored = isStringData ? ["data", ...rest] : path;
  const isLive = live !== undefined && valueAtPath(live, pathWithKeys(live, stored)) !== undefined;
  return pathWithKeys(isLive ? live : declared, stored);
}

/**
 * Returns the managers of a live field. For replicas, it also looks for the autoscaler: the API
 * server records no manager if an autoscaler changes replicas that no manager owned before.
 */
async function readManagers(
  cluster: Cluster,
  deployment: string,
  live: KubeObject | undefined,
  path: readonly FieldStep[],
): Promise<Pick<FieldExplanation, "managers" | "autoscaler" | "isAutoscalerUnread" | "notices">> {
  if (live === undefined || valueAtPath(live, path) === undefined)
    return { managers: [], autoscaler: undefined, notices: [] };
  const isReplicas = formatFieldPath(path) === "spec.replicas";
  const found = isReplicas ? await findAutoscaler(cluster, live) : ok(undefined);
  const autoscaler = found.ok ? found.value : undefined;
  return {
    ...(found.ok ? {} : { isAutoscalerUnread: true as const }),
    notices: resultProblems(found),
    managers: nameManagers(deployment, ownersOfField(live, path), autoscaler),
    autoscaler,
  };
}

function isOwnLabel(path: readonly FieldStep[]): boolean {
  const [, , name] = path;
  return (
    sameJson(path.slice(0, 2).map(String), ["metadata", "labels"]) && ownLabels.has(String(name))
  );
}

/** The maximum number of fields that a suggestion considers. */
const maxFields = 5_000;

function noSuchField(path: readonly FieldStep[], object: KubeObject): UserError {
  const known = listFieldPaths(object, maxFields).map(formatFieldPath);
  const text = formatFieldPath(path);
  const fix = "Show all fields with their owners: qvs get owners KIND/NAME --fields";
  return new UserError([
    {
      code: "unknown-field",
      where: [],
      what: `${objectName(object)} has no field ${text}`,
      why: "The live object and its manifest don't set it",
      ...suggestClosest(text, known, fix),
    },
  ]);
}
