import { replaceAnnotation, runOnceAnnotation } from "../annotations.ts";
import {
  at,
  isObject,
  type Json,
  listAt,
  numberAt,
  sameJson,
  textAt,
  withoutField,
} from "../json.ts";
import type { GroupKind } from "../kinds.ts";
import { annotation, idOf, type KubeObject } from "../object.ts";
import type { Deletion } from "../plan/deletion.ts";
import type { Change } from "../plan/plan.ts";
import { containerImages, podSpecOf } from "./pods.ts";

/**
 * Reports whether the absence of an object means that it has done its work.
 * Each run waits until its Jobs complete. After a successful release, a TTL or a manual cleanup can
 * delete them. A user who wants a Job to run again deploys. An idle Job never completes.
 */
export function isDoneWhenAbsent(object: KubeObject): boolean {
  return isJob(idOf(object)) && idleReason(object) === undefined;
}

/**
 * Reports whether the manifest makes the cluster delete the object by its TTL. Such a deletion
 * needs no notice.
 */
export function isDeletedByTtl(object: KubeObject): boolean {
  return typeof at(object, "spec", "ttlSecondsAfterFinished") === "number";
}

/** Reports whether the Job runs once per content. */
export function isRunOnce(object: KubeObject): boolean {
  return isJob(idOf(object)) && annotation(object, runOnceAnnotation) === "true";
}

/**
 * Reports whether two manifests of a Job do the same work.
 * The time until the cluster deletes a finished Job isn't part of its work.
 */
export function hasSameContent(one: KubeObject, other: KubeObject): boolean {
  return sameJson(jobContent(one), jobContent(other));
}

function jobContent({ spec }: KubeObject): Json {
  const content = isObject(spec) ? withoutField(spec, "ttlSecondsAfterFinished") : {};
  // A recorded manifest was JSON, which omits fields without a value.
  return JSON.parse(JSON.stringify(content)) as Json;
}

/**
 * Reports whether a Job has ended, successfully or not. It then starts no more Pods
 * (https://kubernetes.io/docs/concepts/workloads/controllers/job/#terminal-job-conditions).
 */
export function isFinishedJob(object: KubeObject): boolean {
  return hasCondition(object, ["Complete", "Failed"]);
}

/** Reports whether a Job has failed for good. */
export function isFailedJob(object: KubeObject): boolean {
  return hasCondition(object, ["Failed"]);
}

function hasCondition(object: KubeObject, types: readonly string[]): boolean {
  const isTrue = (condition: Json) =>
    types.includes(textAt(condition, "type") ?? "") && textAt(condition, "status") === "True";
  return isJob(idOf(object)) && listAt(object, "status", "conditions").some(isTrue);
}

/**
 * Returns the reason why a Job or a Job template runs no Pods for now; undefined if it runs them.
 * A Job with a parallelism of 0 is paused until a user increases it
 * (https://kubernetes.io/docs/concepts/workloads/controllers/job/#controlling-parallelism).
 */
export function idleReason(object: Json): string | undefined {
  if (at(object, "spec", "suspend") === true) return "suspended by spec.suspend";
  return at(object, "spec", "parallelism") === 0 ? "paused by spec.parallelism: 0" : undefined;
}

export function isJob({ group, kind }: GroupKind): boolean {
  return group === "batch" && kind === "Job";
}

/**
 * Reports whether containers of a Job run.
 * It might be in the middle of a migration, which the next run would restart or delete.
 */
export function isRunningJob(object: KubeObject): boolean {
  return isJob(idOf(object)) && (numberAt(object, "status", "ready") ?? 0) > 0;
}

/**
 * Returns the names of the Jobs that a CronJob has started and that haven't ended. They are deleted
 * with it. Its controller doesn't list Jobs that a user created from it.
 */
export function activeJobNames(cronJob: KubeObject): readonly string[] {
  const { group, kind } = idOf(cronJob);
  if (group !== "batch" || kind !== "CronJob") return [];
  return listAt(cronJob, "status", "active").flatMap((job) => textAt(job, "name") ?? []);
}

/** Describes the progress of a Job: `0/1 completed, 1 active`. */
export function jobProgress(object: KubeObject): string {
  const desired = numberAt(object, "spec", "completions") ?? 1;
  const parts = [`${numberAt(object, "status", "succeeded") ?? 0}/${desired} completed`];
  for (const field of ["active", "failed"]) {
    const count = numberAt(object, "status", field) ?? 0;
    if (count > 0) parts.push(`${count} ${field}`);
  }
  return parts.join(", ");
}

/**
 * Describes the work and start of a Job: `0/1 completed, 1 active, image migrate:1, since TIME`.
 */
export function describeRunningJob(job: KubeObject): string {
  const spec = podSpecOf(job)?.spec;
  const images = spec === undefined ? [] : [...new Set(containerImages(spec))];
  const since = textAt(job, "status", "startTime");
  return [
    jobProgress(job),
    ...(images.length === 0 ? [] : [`image ${images.join(", ")}`]),
    ...(since === undefined ? [] : [`since ${since}`]),
  ].join(", ");
}

/** Reports whether the manifest of a Job allows qvs to interrupt it. */
export function mayBeInterrupted(job: KubeObject): boolean {
  return annotation(job, replaceAnnotation) === "true";
}

/**
 * Returns the deleted Jobs that a new Job replaces.
 * They are in the same namespace, and their names differ only in version, hash or last part. Two
 * such Jobs at the same time might run two migrations.
 */
export function replacedJobs(
  { id, desired, action }: Pick<Change, "id" | "desired" | "action">,
  deletions: readonly Deletion[],
): readonly Deletion[] {
  const isNew = action === "create" || action === "replace";
  if (!isNew || !isJob(id) || mayBeInterrupted(desired)) return [];
  return deletions.filter(
    ({ id: old, live }) =>
      isJob(old) &&
      old.namespace === id.namespace &&
      !mayBeInterrupted(live) &&
      isSameWork(old.name, live, id.name, desired),
  );
}

function isSameWork(oldName: string, old: KubeObject, newName: string, made: KubeObject): boolean {
  if (withoutVersion(oldName) === withoutVersion(newName)) return true;
  const isSimilar = withoutLastPart(oldName) === withoutLastPart(newName);
  return isSimilar && containerNames(old) === containerNames(made);
}

/**
 * Removes the parts at the end that contain digits: `migrate` for `migrate-v1-2` and
 * `migrate-5f9c`.
 */
function withoutVersion(name: string): string {
  const parts = name.split("-");
  const last = parts.findLastIndex((part) => !/\d/.test(part));
  return last < 0 ? name : parts.slice(0, last + 1).join("-");
}

function withoutLastPart(name: string): string {
  const parts = name.split("-");
  return parts.length === 1 ? name : parts.slice(0, -1).join("-");
}

function containerNames(job: KubeObject): string {
  const containers = listAt(podSpecOf(job)?.spec, "containers");
  return containers.map((container) => textAt(container, "name") ?? "").join(" ");
}
