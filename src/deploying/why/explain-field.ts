import { ownLabels } from "../../model/annotations.ts";
import { apiProblem } from "../../model/cluster/api/api-failure.ts";
import { readScaler } from "../../model/cluster/scalers.ts";
import type { FieldOwner } from "../../model/deployments/deployment-state.ts";
import type { RecordedPath } from "../../model/deployments/release.ts";
import { emptyHistory, type ReleaseHistory } from "../../model/deployments/release-history.ts";
import {
  type FieldStep,
  formatFieldPath,
  setField,
  valueAtPath,
} from "../../model/fields/field-differences.ts";
import { listFieldPaths, pathWithKeys, sameStep } from "../../model/fields/resolve-path.ts";
import { fieldOf, isObject, type Json, sameJson } from "../../model/json.ts";
import { isCoreObject } from "../../model/kinds.ts";
import { addressOf, idOf, type KubeObject, keyOf, nameOf } from "../../model/object.ts";
import { fieldManager } from "../../model/plan/plan.ts";
import { UserError } from "../../model/problems/errors.ts";
import {
  failed,
  ok,
  type Problem,
  type Result,
  resultProblems,
} from "../../model/problems/problem.ts";
import { stages } from "../../model/sources/compilation.ts";
import type {
  FieldExplanation,
  NamedManager,
  ShownValue,
} from "../../model/sources/field-explanation.ts";
import { suggestClosest } from "../../model/text/suggest.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { World } from "../../ports/world.ts";
import { redact } from "../../redaction/redact.ts";
import { objectHistory } from "../../releases/history.ts";
import { recordedValue } from "../../releases/queries/field-history.ts";
import { secretStrings } from "../../releases/queries/hidden-strings.ts";
import { readReadableReleases } from "../../releases/store.ts";
import { ownersOfField } from "../../ssa/field-owners.ts";
import type { LocatedDeployment } from "../queries/locate-deployment.ts";
import { readDeclared } from "./declared-object.ts";
import { type ObjectQuestion, objectName } from "./find-object.ts";

/** The question of `qvs why`. */
interface FieldQuestion {
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

/** Adds the role of each manager: this deployment, an autoscaler, or another known program. */
function nameManagers(
  deployment: string,
  owners: readonly FieldOwner[],
  autoscaler: string | undefined,
): readonly NamedManager[] {
  const own = new Set(stages.map((stage) => fieldManager(deployment, stage)));
  return owners.map((owner) => {
    if (own.has(owner.manager)) return { ...owner, role: "this deployment" };
    if (isScaleController(owner)) return { ...owner, role: autoscaler ?? "an autoscaler" };
    return { ...owner, role: knownRole(owner) };
  });
}

/** Reports whether a controller of Kubernetes wrote through the scale subresource. */
function isScaleController({ manager, subresource }: FieldOwner): boolean {
  return subresource === "scale" && /^(kube-controller-manager|keda|vpa-)/.test(manager);
}

/**
 * Returns the name of the HorizontalPodAutoscaler of an object; undefined if there is none. Fails
 * if they can't be listed.
 */
export async function findAutoscaler(
  cluster: Cluster,
  object: KubeObject,
): Promise<Result<string | undefined>> {
  const { namespace } = idOf(object);
  const listed = await cluster.list("autoscaling/v2", "HorizontalPodAutoscaler", namespace);
  if (!listed.ok)
    return failed([apiProblem(cluster, "list HorizontalPodAutoscalers", listed.failure)]);
  const found = listed.value.items.find((each) => {
    const target = readScaler(each)?.target;
    return target !== undefined && keyOf(target) === keyOf(idOf(object));
  });
  return ok(found === undefined ? undefined : nameOf(idOf(found)));
}

/** The names that programs use as field managers by default. */
const roles: Readonly<Record<string, string>> = {
  "kube-controller-manager": "a controller of Kubernetes",
  "kube-apiserver": "the API server",
  "kube-scheduler": "the scheduler",
  kubelet: "the node",
  kubectl: "kubectl",
  "kubectl-client-side-apply": "kubectl apply",
  "kubectl-last-applied": "kubectl apply",
  "kubectl-create": "kubectl create",
  "kubectl-edit": "kubectl edit",
  "kubectl-label": "kubectl label",
  "kubectl-annotate": "kubectl annotate",
  "kubectl-patch": "kubectl patch",
  "kubectl-replace": "kubectl replace",
  "kubectl-rollout": "kubectl rollout",
  "kubectl-set": "kubectl set",
  "rollouts-controller": "Argo Rollouts",
  "argocd-controller": "Argo CD",
  "kustomize-controller": "Flux",
  "helm-controller": "Flux",
  helm: "Helm",
  "keda-operator": "KEDA",
  "cert-manager-cainjector": "cert-manager",
};

function knownRole({ manager }: FieldOwner): string | undefined {
  const [, other] = /^qvs-(.+)-(?:appSetup|app)$/.exec(manager) ?? [];
  return other === undefined ? fieldOf(roles, manager) : `deployment ${other}`;
}

/** Returns the value of the field in an object, or the given value, as outputs can show it. */
type Viewer = (object: KubeObject | undefined, value?: Json) => ShownValue;

/**
 * Returns a function that shows the value of a field. It hides values of Secrets, values that a
 * release copied from a Secret, and strings that contain either.
 */
function createViewer(
  history: ReleaseHistory,
  declared: KubeObject,
  path: readonly FieldStep[],
): Viewer {
  const hides = history.releases.flatMap(secretStrings);
  const places = objectHistory(history).secretPlaces.get(keyOf(idOf(declared))) ?? [];
  const isHidden = places.some((place) => overlaps(place, path));
  return (object, given) => {
    if (object === undefined) return { type: "not set" };
    const whole = given === undefined ? object : setField(object, path, given);
    const value = isObject(whole) ? recordedValue(whole as KubeObject, path) : undefined;
    if (value === undefined) return { type: "not set" };
    const redacted = isHidden ? null : redact(whole ?? null, { hides, declared });
    const shown = valueAtPath(redacted, path);
    // A redacted object shows which of its fields are hidden. A hidden scalar differs as a whole.
    const isShown = shown !== undefined && (sameJson(shown, value) || isObject(shown));
    return isShown ? { type: "value", value: shown } : { type: "hidden" };
  };
}

/** Reports whether a recorded place is at, above or below a field. */
function overlaps(place: RecordedPath, path: readonly FieldStep[]): boolean {
  return path.every((step, index) => {
    const other = place[index];
    if (other === undefined) return true;
    if (typeof other === "string") return other === step;
    // An item without a name can be at another index in the live object.
    if (other.name === undefined || typeof step === "string") return typeof step !== "string";
    return typeof step === "number" || sameStep(step, { keys: { name: other.name } });
  });
}
