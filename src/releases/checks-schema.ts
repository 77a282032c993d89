import * as v from "valibot";
import { isDnsLabel } from "../model/cluster/object-names.ts";
import { isObject, type Json, type JsonObject } from "../model/json.ts";

/** The schema of recorded checks. A record can be forged, so that every name is checked again. */

const name = v.pipe(v.string(), v.check(isDnsLabel));
const milliseconds = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(3_660_000));
const finite = v.pipe(v.number(), v.finite());
const secretName = v.pipe(v.string(), v.regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/));

const target = v.variant("type", [
  v.object({
    type: v.literal("service"),
    service: name,
    port: v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,15}$/)),
    scheme: v.picklist(["http", "https"]),
    path: v.string(),
  }),
  v.object({ type: v.literal("address"), url: v.string() }),
]);

const header = v.union([
  v.strictObject({ name: v.string(), value: v.string() }),
  v.strictObject({
    name: v.string(),
    secret: secretName,
    key: v.string(),
    prefix: v.optional(v.string()),
  }),
]);

const polled = {
  name,
  timeoutMs: milliseconds,
  target,
  headers: v.array(header),
  intervalMs: v.pipe(milliseconds, v.minValue(1)),
  holdMs: milliseconds,
};

export const passedCheck = v.object({
  name,
  type: v.picklist(["http", "prometheus", "job"]),
  at: v.string(),
  attempts: v.pipe(v.number(), v.integer(), v.minValue(0)),
  evidence: v.array(v.object({ label: v.string(), value: v.string() })),
});

export const deploymentCheck = v.variant("type", [
  v.object({
    type: v.literal("http"),
    ...polled,
    status: v.array(v.pipe(v.number(), v.integer())),
    contains: v.optional(v.string()),
    matches: v.optional(v.string()),
    maxLatencyMs: v.optional(milliseconds),
  }),
  v.object({
    type: v.literal("prometheus"),
    ...polled,
    query: v.string(),
    min: v.optional(finite),
    max: v.optional(finite),
  }),
  v.object({
    type: v.literal("job"),
    name,
    timeoutMs: milliseconds,
    spec: v.custom<JsonObject>((value) => isObject(value as Json)),
  }),
]);
