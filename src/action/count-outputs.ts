import type { DeploymentOutcome } from "../commands/deploy-changed.ts";
import { keepOnDeleteAnnotation } from "../model/annotations.ts";
import type { Resource } from "../model/compilation.ts";
import { textAt } from "../model/json.ts";
import type { Plan } from "../model/plan.ts";
import { approvableDigest, type DeploymentReport } from "../report/comment/comment-input.ts";
import { diffCompilations, type ManifestDiff } from "../report/diff/manifest-diff.ts";
import type { ChangeCounts as Counts, DeploymentResult } from "../report/result-file.ts";

/** By the names of action.yml; undefined is not known, and leaves the output empty. */
type Outputs = Readonly<Record<string, string | number | boolean | undefined>>;

const none: Counts = { create: 0, update: 0, replace: 0, delete: 0 };

/** Of previews: what the plans change, or, where there is no plan, what differs between the two commits. */
export function outputsOfPreviews(reports: readonly DeploymentReport[]): Outputs {
  const [only, ...others] = reports;
  const alone = only !== undefined && others.length === 0;
  return {
    ...outputsOf(reports.map(countReport)),
    "plan-digest": (alone && approvableDigest(only)) || "",
  };
}

/** Of deployments and rollbacks: what the plans change that were carried out, and the release where there is one deployment. */
export function outputsOfResults(results: readonly DeploymentResult[]): Outputs {
  const [first, ...others] = results;
  const only = others.length === 0 ? first : undefined;
  return {
    ...outputsOf(results.map(({ changes }) => changes)),
    "plan-digest": only?.digest ?? "",
    release: only?.outcome.revision ?? "",
  };
}

export function planOf(each: DeploymentOutcome): Plan | undefined {
  return each.type === "done" && each.outcome.type === "deployed" ? each.outcome.plan : undefined;
}

/** A run that was superseded has changed nothing; what was refused or broke off is not known. */
export function countOutcome(each: DeploymentOutcome): Counts | undefined {
  const plan = planOf(each);
  if (plan !== undefined) return countPlan(plan);
  return each.type === "done" ? none : undefined;
}

/** What does not compile would change nobody knows what. A deployment that is removed leaves everything where it is. */
function countReport(report: DeploymentReport): Counts | undefined {
  if (report.plan !== undefined) return countPlan(report.plan);
  if (report.problems.length > 0) return undefined;
  if (report.head === undefined) return none;
  return diffCompilations(report.base, report.head).map(countManifest).reduce(add, none);
}

/** Objects of the cluster only. One that gets another name is made, and the one of the old name is deleted once it is replaced. */
function countManifest(diff: ManifestDiff): Counts {
  const isDeployed = diff.resource.type === "manifest";
  switch (diff.type) {
    case "added":
      return { ...none, create: Number(isDeployed) };
    case "changed":
      return { ...none, update: Number(isDeployed) };
    case "removed":
      return { ...none, delete: Number(isDeletable(diff.resource)) };
    case "renamed":
      return { ...none, create: Number(isDeployed), delete: Number(isDeletable(diff.before)) };
  }
}

function isDeletable(resource: Resource): boolean {
  if (resource.type !== "manifest") return false;
  return textAt(resource.object, "metadata", "annotations", keepOnDeleteAnnotation) === undefined;
}

function countPlan({ changes, deletions }: Plan): Counts {
  const changed = (action: string) => changes.filter((change) => change.action === action).length;
  return {
    create: changed("create"),
    update: changed("update"),
    replace: changed("replace"),
    delete: deletions.length,
  };
}

/** While one deployment is not known, the others can tell that something changes, but not how much, nor that nothing does. */
function outputsOf(all: readonly (Counts | undefined)[]): Outputs {
  const known = all.filter((each) => each !== undefined);
  const isComplete = known.length === all.length;
  const total = known.reduce(add, none);
  const number = (of: keyof Counts) => (isComplete ? total[of] : undefined);
  const truth = (holds: boolean) => (holds || isComplete ? holds : undefined);
  return {
    changed: truth(Object.values(total).some((objects) => objects > 0)),
    "to-create": number("create"),
    "to-update": number("update"),
    "to-replace": number("replace"),
    "to-delete": number("delete"),
    "has-deletions": truth(total.delete > 0),
  };
}

function add(a: Counts, b: Counts): Counts {
  return {
    create: a.create + b.create,
    update: a.update + b.update,
    replace: a.replace + b.replace,
    delete: a.delete + b.delete,
  };
}
