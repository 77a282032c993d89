import { keepOnDeleteAnnotation } from "./annotations.ts";
import { isJob } from "./cluster/jobs.ts";
import { at, type JsonObject, textAt } from "./json.ts";
import { groupOf } from "./object.ts";

/** The events of Helm at which hooks of a deletion run. */
export const deletionEvents = ["pre-delete", "post-delete"] as const;
export type DeletionEvent = (typeof deletionEvents)[number];

/**
 * The annotation in the Pod template of a hook Job: the event and the release whose deletion it
 * belongs to, such as `pre-delete of release 3`. A Job that ran for an earlier release runs again.
 * Only qvs writes it.
 */
const hookEventAnnotation = "vs.axis-dev.io/hook";

/** The path of the annotation in a Job. */
export const hookEventPath: readonly string[] = [
  "spec",
  "template",
  "metadata",
  "annotations",
  hookEventAnnotation,
];

/** The fix that leaves out the hooks of a deletion, as the first one and as a further one. */
export const noHooksFix = "Delete without hooks: add --no-hooks";
export const otherNoHooksFix = "delete without hooks: add --no-hooks";

/** The place of a hook in a deletion. */
export interface HookRule {
  /** `pre-delete`: before anything is deleted. `post-delete`: after everything is deleted. */
  readonly event: DeletionEvent;
}

/** A hook of a chart that runs when the deployment is deleted. Only the record contains it. */
export interface DeletionHook extends HookRule {
  readonly object: JsonObject;
  /**
   * Set if each rendering of the hook gives another object. A difference alone then makes no new
   * release.
   */
  readonly isRandom?: true | undefined;
}

/** The kinds that a deletion runs or a Job needs. Their deletion deletes no other object. */
const hookKinds: ReadonlySet<string> = new Set([
  "batch/Job",
  ...["ConfigMap", "Secret", "ServiceAccount"].map((kind) => `/${kind}`),
  ...["Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"].map(
    (kind) => `rbac.authorization.k8s.io/${kind}`,
  ),
]);

/** Returns the reason why a deletion must not run a hook; undefined if it can. */
export function hookRefusal(object: JsonObject): string | undefined {
  const kind = textAt(object, "kind") ?? "";
  const id = { group: groupOf(textAt(object, "apiVersion") ?? ""), kind };
  if (!hookKinds.has(`${id.group}/${kind}`))
    return `qvs deletes the hooks of a deletion at its end, and a ${kind} might hold data or other objects`;
  const annotations = at(object, "metadata", "annotations");
  const policy = textAt(annotations, "helm.sh/resource-policy")?.trim().toLowerCase();
  if (policy === "keep" || at(annotations, keepOnDeleteAnnotation) !== undefined)
    return "Its annotation keeps it, and qvs deletes the hooks of a deletion at its end";
  if (!isJob(id)) return undefined;
  if (at(object, "spec", "suspend") === true) return "It is suspended, so it never completes";
  return at(object, "spec", "parallelism") === 0
    ? "Its parallelism is 0, so it never completes"
    : undefined;
}
