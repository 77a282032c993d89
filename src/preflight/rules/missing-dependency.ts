import { namesForPods, podSpecOf } from "../../model/cluster/pods.ts";
import { fieldPath } from "../../model/fields/field-path.ts";
import { at, isObject, listAt, textAt } from "../../model/json.ts";
import { keyOf, nameOf, type ObjectId } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import type { Finding, Severity } from "../../model/problems/finding.ts";
import { fieldOwners } from "../../ssa/managed-fields.ts";
import type { ClusterFacts } from "../cluster-facts.ts";
import {
  changesWithNewDependencies,
  mayBeCreatedByController,
  type PodDependency,
  podDependencies,
} from "../dependencies.ts";
import { awaitsPods, type PlannedPods, plannedPods } from "../planned-pods.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";
import { capitalize } from "./sentences.ts";

/** The facts that this rule reads, so that a deployment can run it too. */
type DependencyInput = Pick<PreflightInput, "plan" | "placeOf"> & {
  readonly facts: Pick<ClusterFacts, "dependencies" | "upstreamChanges">;
};

/** The input with the changes of this deployment and of earlier ones. */
interface DependencyContext extends DependencyInput {
  readonly changes: readonly Change[];
  /** The same changes by key. */
  readonly declared: ReadonlyMap<string, Change>;
  /** Identifies the objects that controllers create for the declared ones; see `identity`. */
  readonly createdForPods: ReadonlySet<string>;
  /** The beginnings of the names of claims that StatefulSets create. */
  readonly claimPrefixes: readonly Readonly<Record<"namespace" | "prefix", string>>[];
}

type DependencyName = Pick<ObjectId, "kind" | "namespace" | "name">;

function identity({ kind, namespace, name }: DependencyName): string {
  return `${kind} ${namespace}/${name}`;
}

/**
 * Reports dependencies that exist neither in the cluster nor in the deployments.
 * A Pod's containers can't start without them, or an object doesn't work.
 */
export function missingDependency(input: DependencyInput): readonly Finding[] {
  const changes = [...input.plan.changes, ...input.facts.upstreamChanges];
  const context = {
    ...{ ...input, changes },
    // A change of this deployment counts before one of an earlier deployment.
    declared: new Map(changes.toReversed().map((change) => [change.key, change])),
    createdForPods: new Set(
      changes.flatMap(({ id: { namespace }, desired }) =>
        namesForPods(desired).map((made) => identity({ ...made, namespace })),
      ),
    ),
    claimPrefixes: changes.flatMap(claimPrefixes),
  };
  return [...missingForPods(input, context), ...missingForObjects(input, context)];
}

function claimPrefixes({ id: { namespace }, desired }: Change) {
  const name = textAt(desired, "metadata", "name") ?? "";
  return listAt(desired, "spec", "volumeClaimTemplates").map((template) => ({
    namespace,
    prefix: `${textAt(template, "metadata", "name")}-${name}-`,
  }));
}

/** Reports each missing object or key once per workload. */
function missingForPods(input: DependencyInput, context: DependencyContext): readonly Finding[] {
  return plannedPods(input.plan.changes).flatMap((pods) => {
    const missing = podDependencies(pods.spec).flatMap((need) => {
      const missingText = describeMissing(need, pods, context);
      return missingText === undefined ? [] : [{ need, lacks: missingText }];
    });
    const once = new Map(missing.map((each) => [each.lacks, each] as const));
    return [...once.values()].map(({ need, lacks: missingText }) =>
      podFinding(need, missingText, pods, context),
    );
  });
}

function missingForObjects(input: DependencyInput, context: DependencyContext): readonly Finding[] {
  const { changes, facts, placeOf } = context;
  return changesWithNewDependencies(input.plan.changes).flatMap(({ change, needs }) =>
    needs
      .filter(({ id, isAwaited, isCreatedByOperators = false }) => {
        if (isCreatedByOperators && mayBeCreatedByController(changes)) return false;
        const fact = facts.dependencies.get(keyOf(id));
        const isMissing =
          fact?.known === true && !fact.value.exists && !isCreatedByPlans(id, context);
        // An operator can create a Service a moment later, and the deployment doesn't wait for it.
        return (
          isMissing && (isAwaited || id.namespace === "" || !mayBeCreatedByController(changes))
        );
      })
      .map(({ id, path, why, isAwaited }) =>
        changeFinding(change, placeOf, {
          code: "missing-dependency",
          severity: isAwaited && !mayBeCreatedByController(changes) ? "error" : "warning",
          what: `${nameOf(change.id)} needs ${nameOf(id)}, which doesn't exist`,
          why: `${undeclared}. ${capitalize(why)}`,
          fix: `Declare ${nameOf(id)}, or correct the name`,
          path,
        }),
      ),
  );
}

const undeclared = "This deployment doesn't declare it either";

/**
 * Reports whether a deployment creates the object.
 * A PersistentVolume defines its storage class, which can be only a name.
 */
function isCreatedByPlans(id: ObjectId, { changes, declared }: DependencyContext): boolean {
  const isClassOf = (change: Change) =>
    change.id.kind === "PersistentVolume" &&
    textAt(change.desired, "spec", "storageClassName") === id.name;
  return declared.has(keyOf(id)) || (id.kind === "StorageClass" && changes.some(isClassOf));
}

/**
 * Returns `ConfigMap shop/settings` or `key "size" of ConfigMap shop/settings`.
 * Returns undefined if the object exists or if qvs can't read it.
 */
function describeMissing(
  { kind, name, key }: PodDependency,
  { change }: PlannedPods,
  context: DependencyContext,
): string | undefined {
  const id = { group: "", kind, namespace: change.id.namespace, name };
  if (isInEveryNamespace(id)) return undefined;
  const declared = context.declared.get(keyOf(id));
  if (declared !== undefined) {
    const lacks = key !== undefined && !hasKey(declared, key);
    return lacks ? `key "${key}" of ${nameOf(id)}` : undefined;
  }
  if (isCreatedByControllers(id, context)) return undefined;
  const fact = context.facts.dependencies.get(keyOf(id));
  if (fact?.known !== true) return undefined;
  const { exists, keys } = fact.value;
  if (!exists) return nameOf(id);
  return key === undefined || keys === undefined || keys.includes(key)
    ? undefined
    : `key "${key}" of ${nameOf(id)}`;
}

/**
 * Reports whether a declared object has the key.
 * Another field manager can add keys. For a Secret, qvs doesn't see them.
 */
function hasKey(
  { desired, predicted, live, dryRunSkipped, redacted }: Change,
  key: string,
): boolean {
  const isOwnedOnly = live === undefined || (dryRunSkipped === undefined && redacted === undefined);
  const others = live === undefined ? 0 : fieldOwners(live).length;
  if (desired.kind === "Secret" && others > 1) return true;
  const parts = [desired, ...(isOwnedOnly ? [predicted ?? live] : [])].flatMap((object) => [
    at(object, "data"),
    at(object, "binaryData"),
    at(object, "stringData"),
  ]);
  // A controller fills a Secret of a special type.
  const isFilled = desired.kind === "Secret" && (textAt(desired, "type") ?? "Opaque") !== "Opaque";
  return (
    isFilled || !isOwnedOnly || parts.some((part) => isObject(part) && Object.hasOwn(part, key))
  );
}

/** Reports whether Kubernetes creates the object in every namespace. */
function isInEveryNamespace({ kind, name }: DependencyName): boolean {
  return (
    (kind === "ServiceAccount" && name === "default") ||
    (kind === "ConfigMap" && name === "kube-root-ca.crt")
  );
}

/** Reports whether a controller creates the object for one of the plans. */
function isCreatedByControllers(
  id: DependencyName,
  { createdForPods, claimPrefixes }: DependencyContext,
): boolean {
  if (createdForPods.has(identity(id))) return true;
  const isClaimOf = ({ namespace, prefix }: DependencyContext["claimPrefixes"][number]) =>
    namespace === id.namespace && id.name.startsWith(prefix);
  return id.kind === "PersistentVolumeClaim" && claimPrefixes.some(isClaimOf);
}

function podFinding(
  { kind, path }: PodDependency,
  missingText: string,
  { change }: PlannedPods,
  { changes, placeOf }: DependencyContext,
): Finding {
  const { id, desired } = change;
  const mayBeOptional = kind === "ConfigMap" || kind === "Secret";
  return changeFinding(change, placeOf, {
    code: "missing-dependency",
    severity: dependencySeverity(change, changes),
    what: `${nameOf(id)} needs ${missingText}, which doesn't exist`,
    why: `${undeclared}. Its Pod template names it at ${fieldPath(path)}${mayBeOptional ? ", without optional: true" : ""}`,
    fix: mayBeOptional
      ? "Declare it, correct the name, or set optional: true"
      : "Declare it, or correct the name",
    path: [...(podSpecOf(desired)?.path ?? []), ...path],
  });
}

/**
 * Returns the severity.
 * It is an error only if the deployment waits for the Pods and no controller can create the
 * dependency during that time.
 */
function dependencySeverity(change: Change, changes: readonly Change[]): Severity {
  return mayBeCreatedByController(changes) || !awaitsPods(change) ? "warning" : "error";
}
