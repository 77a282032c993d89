import * as v from "valibot";
import type { LayoutNode } from "../model/compilation.ts";
import { stages } from "../model/compilation.ts";
import { isList, isObject, type Json, type JsonObject } from "../model/json.ts";
import { releaseFormat } from "../model/release.ts";

/** The shape of a recorded release, in its two halves: what never changes, and the state of the run. */

const jsonObject = v.custom<JsonObject>((value) => isObject(value as Json));
const optionalText = v.optional(v.string());
const stage = v.picklist(stages);
const objectId = v.object({
  group: v.string(),
  kind: v.string(),
  namespace: v.string(),
  name: v.string(),
});
const edge = v.object({ on: v.string(), reason: v.string() });
const revision = v.pipe(v.number(), v.integer(), v.minValue(1));

const releasedManifest = v.object({
  stage,
  resource: v.string(),
  object: jsonObject,
  dependsOn: v.array(v.string()),
  references: v.optional(v.literal(true)),
});

const inventoryEntry = v.object({
  id: objectId,
  apiVersion: v.string(),
  stage,
  after: v.array(edge),
  keepOnDelete: optionalText,
});

const highestRevision = v.object({
  group: v.string(),
  kind: v.string(),
  namespace: v.string(),
  key: v.string(),
  revision: v.pipe(v.number(), v.integer(), v.minValue(0)),
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
  }),
  expandedConfig: v.array(releasedManifest),
  layout: v.custom<LayoutNode>((value) => isLayout(value as Json, 100)),
  source: v.object({
    commit: optionalText,
    actor: optionalText,
    run: optionalText,
    repository: optionalText,
    config: optionalText,
  }),
  startedAt: v.string(),
});

export const releaseState = v.object({
  format: v.literal(releaseFormat),
  status: v.picklist(["pending", "succeeded", "failed"]),
  finishedAt: optionalText,
  inventory: v.array(inventoryEntry),
  results: v.array(objectResult),
  revisions: v.optional(v.array(highestRevision)),
});

/** `column` and `use` are missing in old records. Bounded by `depth`: a record is read from the cluster, where anybody who may write Secrets can have put it. */
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
