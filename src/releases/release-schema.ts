import * as v from "valibot";
import { isDnsLabel } from "../model/cluster/object-names.ts";
import { maxPullRequest } from "../model/deployments/preview-environment.ts";
import { objectOrigins, releaseFormat } from "../model/deployments/release.ts";
import { isList, isObject, type Json, type JsonObject } from "../model/json.ts";
import { groupOf, maxRevision } from "../model/object.ts";
import { deletionEvents } from "../model/plan/deletion.ts";
import { type LayoutNode, stages } from "../model/sources/compilation.ts";
import { deploymentCheck, passedCheck } from "./checks-schema.ts";
import { maxReleaseRevision } from "./release-names.ts";

/** The schema of a recorded release: the content that never changes, and the state of the run. */

const jsonObject = v.custom<JsonObject>((value) => isObject(value as Json));
const optionalText = v.optional(v.string());
const stage = v.picklist(stages);
/** No field can imitate a part of a path, or of the key of another object. */
const objectId = v.object({
  group: v.pipe(v.string(), v.regex(/^[a-z0-9.-]*$/)),
  kind: v.pipe(v.string(), v.regex(/^[A-Za-z0-9-]+$/)),
  namespace: v.pipe(v.string(), v.regex(/^[a-z0-9-]*$/)),
  name: v.pipe(v.string(), v.regex(/^(?!\.{1,2}$)[^/%]+$/)),
});
const apiVersion = v.pipe(v.string(), v.regex(/^([a-z0-9.-]+\/)?[a-z0-9-]+$/));
const edge = v.object({ on: v.string(), reason: v.string() });
const revision = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maxReleaseRevision));

const releasedManifest = v.object({
  stage,
  resource: v.string(),
  object: jsonObject,
  dependsOn: v.array(v.string()),
  references: v.optional(v.literal(true)),
});

const deletionHook = v.object({
  event: v.picklist(deletionEvents),
  object: jsonObject,
  isRandom: v.optional(v.literal(true)),
});

export const inventoryEntry = v.pipe(
  v.object({
    id: objectId,
    apiVersion,
    stage,
    after: v.array(edge),
    keepOnDelete: optionalText,
    origin: v.optional(v.picklist(objectOrigins)),
  }),
  v.forward(
    v.check((entry) => groupOf(entry.apiVersion) === entry.id.group),
    ["apiVersion"],
  ),
);

const highestRevision = v.object({
  group: v.string(),
  kind: v.string(),
  namespace: v.string(),
  key: v.string(),
  revision: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(maxRevision)),
});

const objectResult = v.object({
  key: v.string(),
  outcome: v.picklist([
    "created",
    "updated",
    "replaced",
    "unchanged",
    "deleted",
    "kept",
    "failed",
    "not attempted",
  ]),
  detail: v.string(),
  met: v.optional(v.literal(true)),
});

const seenRun = v.object({
  commit: optionalText,
  actor: optionalText,
  run: optionalText,
  uncommitted: v.optional(v.literal(true)),
  at: v.string(),
  runs: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maxRevision))),
  orMore: v.optional(v.literal(true)),
});

const podCount = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(maxRevision));
const seconds = v.pipe(v.number(), v.minValue(0), v.maxValue(maxRevision));

const recordedRollout = v.object({
  key: v.string(),
  replicas: podCount,
  leastReady: podCount,
  morePods: podCount,
  waves: podCount,
  seconds: v.optional(seconds),
  observed: v.optional(v.object({ leastReady: podCount, morePods: v.optional(podCount), seconds })),
});

const correctionRun = v.object({
  actor: optionalText,
  run: optionalText,
  at: v.string(),
  succeeded: v.boolean(),
  results: v.array(objectResult),
});

const healthRule = v.object({
  groups: v.array(v.string()),
  kinds: v.array(v.string()),
  inProgress: optionalText,
  failed: optionalText,
  suspended: optionalText,
  current: v.string(),
  message: optionalText,
  source: v.string(),
});

const previewEnvironment = v.object({
  repository: v.object({ id: optionalText, path: optionalText }),
  list: v.string(),
  entry: v.string(),
  number: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maxPullRequest)),
  namespace: v.pipe(v.string(), v.check(isDnsLabel)),
  head: optionalText,
  // A damaged lifetime must not hide the release. It never ends then.
  ttlMs: v.fallback(v.pipe(v.number(), v.minValue(1)), Number.POSITIVE_INFINITY),
});

export const releaseContent = v.object({
  format: v.literal(releaseFormat),
  deployment: v.string(),
  revision,
  rollbackOf: v.optional(revision),
  onlyStage: v.optional(stage),
  inputConfig: v.object({
    config: v.string(),
    params: jsonObject,
    modules: v.array(v.object({ name: v.string(), commit: v.string() })),
    inline: v.optional(v.array(v.string())),
    secret: v.optional(v.array(v.string())),
    health: v.optional(v.array(healthRule)),
  }),
  expandedConfig: v.array(releasedManifest),
  layout: v.custom<LayoutNode>((value) => isLayout(value as Json, 100)),
  checks: v.optional(v.array(deploymentCheck)),
  deletionHooks: v.optional(v.array(deletionHook)),
  source: v.object({
    commit: optionalText,
    actor: optionalText,
    run: optionalText,
    uncommitted: v.optional(v.literal(true)),
    repository: optionalText,
    approvedIn: v.optional(v.array(v.string())),
    config: optionalText,
  }),
  environment: v.optional(previewEnvironment),
  overrode: v.optional(
    v.pipe(
      v.object({ id: v.string(), reason: v.string(), by: optionalText, until: optionalText }),
      v.transform((freeze) => ({ ...freeze, by: freeze.by, until: freeze.until })),
    ),
  ),
  startedAt: v.string(),
});

export const releaseState = v.object({
  format: v.literal(releaseFormat),
  status: v.picklist(["pending", "succeeded", "failed"]),
  finishedAt: optionalText,
  inventory: v.array(inventoryEntry),
  results: v.array(objectResult),
  passedChecks: v.optional(v.array(passedCheck)),
  // It only informs users, so a value that qvs doesn't understand must not hide the release.
  rollouts: v.fallback(v.optional(v.array(recordedRollout)), undefined),
  revisions: v.optional(v.array(highestRevision)),
  lastSeen: v.optional(seenRun),
  lastCorrected: v.optional(correctionRun),
  cancelled: v.optional(v.literal(true)),
  superseded: v.optional(
    v.pipe(
      v.object({ does: v.picklist(["deploy", "rollback"]), commit: optionalText, by: v.string() }),
      v.transform((run) => ({ ...run, commit: run.commit })),
    ),
  ),
});

/**
 * Reports whether a value is a layout. `column` and `use` are missing in old records.
 * `depth` limits the recursion, because anyone who can write Secrets can write a record.
 */
function isLayout(value: Json | undefined, depth: number): boolean {
  if (!isObject(value) || depth === 0) return false;
  const texts = [value.pattern, value.name, value.file];
  return (
    texts.every((text) => typeof text === "string") &&
    typeof value.line === "number" &&
    (value.column === undefined || typeof value.column === "number") &&
    (value.use === undefined || isPosition(value.use)) &&
    (value.group === undefined || typeof value.group === "string") &&
    isObject(value.params) &&
    isList(value.resources) &&
    value.resources.every((id) => typeof id === "string") &&
    isList(value.composites) &&
    value.composites.every((composite) => isLayout(composite, depth - 1))
  );
}

function isPosition(value: Json): boolean {
  return (
    isObject(value) &&
    typeof value.file === "string" &&
    typeof value.line === "number" &&
    typeof value.column === "number"
  );
}
