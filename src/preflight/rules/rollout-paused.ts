import { at, sameJson } from "../../model/json.ts";
import { addressOf, groupOf, type KubeObject, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { declaredAt } from "../../model/problems/problem.ts";
import { authorOf } from "../../plan/attribution/authors.ts";
import { asPlanned } from "../planned-pods.ts";
import type { PreflightInput } from "../rule.ts";

const pause = ["spec", "paused"] as const;

/**
 * Templates that are written and not rolled out, since the rollout is paused: the deployment succeeds with the old Pods
 * (docs/reference/deployment.md#ready). Whoever pauses by hand is in no manifest, and in no diff.
 */
export function rolloutPaused({ plan, placeOf }: PreflightInput): readonly Finding[] {
  return plan.changes.filter(staysPaused).map((change) => {
    const { key, id, desired } = change;
    const isDeclared = at(desired, ...pause) !== undefined;
    return {
      code: "rollout-paused",
      severity: isDeclared ? "note" : "warning",
      object: addressOf(desired),
      what: `${nameOf(id)} is paused: ${whatWaits(change)} until it is resumed`,
      why: isDeclared ? "its manifest says spec.paused: true" : whoPaused(change, plan.deployment),
      fix: `Resume it when the time has come${howToResume(change)}`,
      path: [...pause],
      where: declaredAt({ where: placeOf(key) }),
    };
  });
}

function staysPaused(change: Change): boolean {
  const { action, live } = change;
  if (action !== "create" && action !== "update") return false;
  const planned = asPlanned(change);
  const template = (object: KubeObject) => at(object, "spec", "template");
  const isNew = live === undefined || !sameJson(template(live), template(planned));
  return isRolledOut(planned) && at(planned, ...pause) === true && isNew;
}

function isRolledOut({ apiVersion, kind }: KubeObject): boolean {
  const name = `${groupOf(apiVersion)}/${kind}`;
  return name === "apps/Deployment" || name === "argoproj.io/Rollout";
}

function whatWaits({ live }: Change): string {
  return live === undefined
    ? "it makes no Pods"
    : "its Pods keep the old template, and the deployment does not wait for new ones,";
}

function whoPaused({ live }: Change, deployment: string): string {
  const author = live === undefined ? undefined : authorOf(live, pause, deployment);
  const since = author?.since === undefined ? "" : ` since ${author.since}`;
  const by = author === undefined ? "" : ` by ${author.manager}${since}`;
  return `spec.paused is set in the cluster${by}, and is not declared`;
}

function howToResume({ id }: Change): string {
  const where = `--namespace ${id.namespace}`;
  return id.kind === "Deployment"
    ? `: kubectl rollout resume deployment/${id.name} ${where}`
    : `: kubectl argo rollouts resume ${id.name} ${where}`;
}
