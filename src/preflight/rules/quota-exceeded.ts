import { isQuotaExceeded } from "../../model/cluster/api/messages/denials.ts";
import { sumAmounts } from "../../model/cluster/pod-resources.ts";
import { formatQuantity, parseQuantity } from "../../model/cluster/quantity.ts";
import { at, isObject, type JsonObject } from "../../model/json.ts";
import { addressOf, idOf, type KubeObject, keyOf, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { declarationPlaces } from "../../model/problems/problem.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { matchesScopes, quotaScopes } from "../../validation/admission/quotas.ts";
import { knownValues } from "../cluster-facts.ts";
import { requestPath } from "../field-paths.ts";
import { afterPodsEnd, concurrentDemands, withPlannedQuotas } from "../quota/concurrent-demands.ts";
import { computeQuotaDemand, type QuotaDemand } from "../quota/quota-demand.ts";
import { ownObjectsUsage, type QuotaUsage } from "../quota/quota-usage.ts";
import { plannedAdmission } from "../rollouts/planned-admission.ts";
import type { PreflightInput } from "../rule.ts";

/**
 * Compares the total demand of this plan with the free part of each quota.
 * It checks the state after the deployment and the time when old and new Pods coexist.
 * The API server checks only one object at a time, and Pods only when a controller creates them.
 */
export function quotaExceeded(input: PreflightInput): readonly Finding[] {
  const byNamespace = Map.groupBy(input.plan.changes, ({ id }) => id.namespace);
  return [...byNamespace].flatMap(([namespace, changes]) => {
    const fact = input.facts.quotas.get(namespace);
    if (fact?.known !== true) return [];
    const before = input.facts.upstreamChanges.filter(({ id }) => id.namespace === namespace);
    const quotas = withPlannedQuotas(
      fact.value,
      [...before, ...changes],
      runningPods(namespace, input),
    );
    const found = quotas.flatMap((quota) => {
      const taken = sumAmounts(
        ...quotaDemands(quota, before, input).map((each) => afterPodsEnd(each).final),
      );
      const own = ownUsage(namespace, input);
      return quotaExcesses(quota, { taken, own }, quotaDemands(quota, changes, input), input);
    });
    return freesQuota(namespace, input) ? found.map(asWarning) : found;
  });
}

/**
 * Returns the usage of qvs's own objects.
 * Release records count until qvs prunes them after the deployment.
 */
function ownUsage(namespace: string, { plan, releases }: PreflightInput): QuotaUsage {
  const { ownObjects } = releases;
  return ownObjects === undefined || namespace !== plan.namespace
    ? new Map()
    : ownObjectsUsage(ownObjects);
}

/**
 * Reports whether an earlier deployment deletes objects in the namespace.
 * Their usage is free by then, and qvs hasn't computed it.
 */
function freesQuota(namespace: string, { facts }: PreflightInput): boolean {
  return facts.upstreamDeletions.some(({ live }) => idOf(live).namespace === namespace);
}

function asWarning(finding: Finding): Finding {
  return finding.severity === "error" ? { ...finding, severity: "warning" } : finding;
}

/** Returns the running Pods. Objects of earlier deployments are counted separately. */
function runningPods(namespace: string, { facts }: PreflightInput): readonly KubeObject[] {
  const pendingKeys = new Set(facts.upstreamChanges.map(({ key }) => key));
  return knownValues(facts.pods).filter((pod) => {
    const id = idOf(pod);
    return id.namespace === namespace && !pendingKeys.has(keyOf(id));
  });
}

/**
 * Compares each resource of a quota with its limit.
 * `taken` is the usage of earlier deployments in addition to the current one. `own` is the usage of
 * qvs itself.
 */
function quotaExcesses(
  quota: KubeObject,
  { taken, own }: { readonly taken: QuotaUsage; readonly own: QuotaUsage },
  demands: readonly QuotaDemand[],
  input: PreflightInput,
): readonly Finding[] {
  const hard = at(quota, "status", "hard") ?? at(quota, "spec", "hard");
  const found = Object.entries(isObject(hard) ? hard : {}).flatMap(([resource, value]) => {
    const limit = parseQuantity(value);
    const now = parseQuantity(at(quota, "status", "used", resource)) ?? 0;
    const ofQvs = own.get(resource) ?? 0;
    const used = now + (taken.get(resource) ?? 0) + ofQvs;
    if (limit === undefined) return [];
    return resourceExcess({ quota, resource, limit, used, ofQvs }, demands, input);
  });
  // The same objects usually exceed several resources of one quota.
  return [...Map.groupBy(found, ({ finding }) => finding.what).values()].map((same) => {
    const { finding, effect } = same[0] as Excess;
    const numbers = same.map((each) => each.numbers).join("; ");
    return { ...finding, why: effect === "" ? numbers : `${numbers}. ${effect}` };
  });
}

/** A finding about one resource of a quota; its cause consists of the numbers and the effect. */
interface Excess {
  readonly finding: Finding;
  readonly numbers: string;
  readonly effect: string;
}

interface ResourceCount {
  readonly quota: KubeObject;
  readonly resource: string;
  readonly limit: number;
  readonly used: number;
  /** The part that qvs needs for its own objects. */
  readonly ofQvs: number;
}

const tolerance = 1e-6;
const maxNames = 3;

function resourceExcess(
  counted: ResourceCount,
  demands: readonly QuotaDemand[],
  input: PreflightInput,
): readonly Excess[] {
  const { resource, limit, used } = counted;
  const of = (usage: QuotaUsage) => usage.get(resource) ?? 0;
  const exceeds = (more: number) => used + more > limit + tolerance;
  // The API server already rejects one of these objects, which blocks the plan.
  if (demands.some(({ change, final }) => of(final) > 0 && isRefusedByQuota(change))) return [];
  const withNeed = (all: readonly QuotaDemand[]) =>
    all.filter((demand) => of(demand.final) > 0 || of(demand.peak) > 0);
  const needing = withNeed(demands);
  const sum = (all: readonly QuotaDemand[]) =>
    all.reduce((total, { final }) => total + of(final), 0);
  const worst = exceeds(sum(demands)) ? worstDemands(demands, sum, input) : [];
  const final = sum(worst);
  if (exceeds(final) && worst.length > 0) {
    // If a quota was lowered, freed usage doesn't make room for other objects.
    const asking = withNeed(worst);
    const making = asking.length > 0 ? asking : worst.filter(({ made }) => of(made) > 0);
    return making.length === 0
      ? []
      : [excessFinding(counted, making, final, "error", "for good", input)];
  }
  // Another rollout can free enough first, so the result is certain only if none frees anything.
  const stuck = needing.filter((demand) => exceeds(of(demand.step)));
  const isGivenBack = demands.some((demand) => !stuck.includes(demand) && of(demand.final) < 0);
  const [blocked] = stuck;
  if (blocked !== undefined) {
    const severity = isGivenBack ? "warning" : "error";
    return [
      excessFinding(counted, stuck, of(blocked.step), severity, "next to the old Pods", input),
    ];
  }
  const slow = needing.filter((demand) => exceeds(of(demand.peak)));
  const [delayed] = slow;
  if (delayed === undefined) return [];
  return [excessFinding(counted, slow, of(delayed.peak), "note", "at the peak", input)];
}

/**
 * Returns the demands at the moment with the largest total.
 * Usage that is freed late counts as free, because it might be free in time.
 */
function worstDemands(
  demands: readonly QuotaDemand[],
  sum: (all: readonly QuotaDemand[]) => number,
  { plan }: PreflightInput,
): readonly QuotaDemand[] {
  const moments = concurrentDemands(demands, plan);
  const worst = moments.reduce((one, other) => (sum(other) > sum(one) ? other : one));
  return sum(worst) > sum(demands) ? demands : worst;
}

function isRefusedByQuota({ certainty }: Change): boolean {
  return certainty.by === "refused" && isQuotaExceeded({ message: certainty.reason });
}

function excessFinding(
  { quota, resource, limit, used, ofQvs }: ResourceCount,
  demands: readonly QuotaDemand[],
  more: number,
  severity: Finding["severity"],
  when: "for good" | "next to the old Pods" | "at the peak",
  { placeOf }: PreflightInput,
): Excess {
  const [{ change }] = demands as readonly [QuotaDemand];
  const names = summarizeList(
    demands.map((demand) => nameOf(demand.change.id)),
    maxNames,
  );
  const text = (value: number) => formatQuantity(value, resource);
  const reserved =
    ofQvs === 0 ? "" : ` after ${text(ofQvs)} for qvs's release record or deployment lock`;
  const finding: Finding = {
    code: "quota-exceeded",
    severity,
    object: addressOf(change.desired),
    what: `${names}: ${nameOf(idOf(quota))} ${shortages[when]}`,
    why: "",
    fix:
      when === "next to the old Pods" && change.id.kind === "DaemonSet"
        ? daemonSetFix
        : fixes[when],
    ...(when === "next to the old Pods" && change.id.kind === "Deployment"
      ? { paste: stopOldFirst }
      : {}),
    path: demands.length === 1 ? excessPath(resource, change) : undefined,
    where: demands.length === 1 ? declarationPlaces({ where: placeOf(change.key) }) : [],
  };
  return {
    finding,
    numbers: `${resource}: ${text(more)} more needed${podsText(demands, when)}, ${text(Math.max(0, limit - used))} of ${text(limit)} left${reserved}`,
    effect: effects[when],
  };
}

const shortages = {
  "for good": "has too little left for this deployment",
  "next to the old Pods": "has too little left to start the rollout",
  "at the peak": "has too little left for the fastest rollout",
};

const effects = {
  "for good": "",
  "next to the old Pods":
    "There is no room for one more Pod, and no old Pod is allowed to stop before a new one is available",
  "at the peak":
    "Some of the new Pods can't start before old ones stop, so the rollout takes longer",
};

const fixes = {
  "for good": "Raise the quota, or request less",
  "next to the old Pods":
    "Raise the quota, or set maxUnavailable: 1 in spec.strategy.rollingUpdate so that an old Pod stops first",
  "at the peak": "Nothing to do if a slower rollout is acceptable: otherwise, raise the quota",
};

/** Returns the number of Pods, or the request of the resource, as the field to change. */
function excessPath(resource: string, { desired }: Change): readonly string[] | undefined {
  if (resource === "pods" || resource === "count/pods") return ["spec", "replicas"];
  return requestPath(resource.replace(/^(requests|limits)\./, ""), desired);
}

const daemonSetFix =
  "Raise the quota, or set maxSurge: 0 in spec.updateStrategy.rollingUpdate so that an old Pod stops first";

const stopOldFirst = ["spec:", "  strategy:", "    rollingUpdate: {maxUnavailable: 1}"];

function podsText(demands: readonly QuotaDemand[], when: string): string {
  const [{ pods }] = demands as readonly [QuotaDemand];
  if (demands.length > 1 || pods.final === 0) return "";
  const number = when === "for good" ? pods.final : pods.peak;
  const now = pods.now === 0 || pods.now === number ? "" : ` instead of ${pods.now}`;
  return ` for ${number} ${number === 1 ? "Pod" : "Pods"}${now}`;
}

/**
 * Returns the demands that count for a quota.
 * A quota with scopes counts only some Pods, and a change can add or remove Pods of its scopes.
 */
function quotaDemands(
  quota: KubeObject,
  changes: readonly Change[],
  { facts, plan }: PreflightInput,
): readonly QuotaDemand[] {
  const scopes = quotaScopes(quota);
  const isCounted = (pod: JsonObject) => matchesScopes(pod, quota);
  const admit = plannedAdmission(plan, facts);
  const demands = changes.flatMap(
    (change) => computeQuotaDemand(change, facts, isCounted, admit) ?? [],
  );
  return scopes.length === 0 ? demands : demands.filter(({ pod }) => pod !== undefined);
}
