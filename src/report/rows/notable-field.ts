import type { FieldChange } from "../../model/attribution.ts";
import type { Json } from "../../model/json.ts";

/** The most important part of an update for a reviewer: the number of replicas, or the image. */
export interface NotableField {
  /** The change, such as `replicas: 3 → 1`. */
  readonly text: string;
  /** True if the change reduces capacity. */
  readonly isRisk: boolean;
  /** The consequence, if it isn't obvious. */
  readonly means?: string | undefined;
}

/** Describes a change of a number of replicas or an image. Undefined for every other field. */
export function notableField({
  path,
  before,
  after,
}: Pick<FieldChange, "path" | "before" | "after">): NotableField | undefined {
  const count = /^spec\.((?:min|max)?[rR]eplicas|parallelism|suspend|paused)$/.exec(path)?.[1];
  if (count !== undefined) {
    const isRisk = isLess(before, after) || after === true;
    const means = describeReduction(count, before, after);
    const text = `${count}: ${fieldValueText(before)} → ${fieldValueText(after)}`;
    return { text, isRisk, ...(means && { means }) };
  }
  if (!/[cC]ontainers\[[^[\]]*\]\.image$/.test(path)) return undefined;
  if (typeof before !== "string" || typeof after !== "string") return undefined;
  return { text: imageText(before, after), isRisk: false };
}

/** Describes the consequence of a reduction. */
function describeReduction(count: string, before: unknown, after: unknown): string | undefined {
  if (after === true) return count === "suspend" ? "nothing starts until it is resumed" : undefined;
  if (typeof after !== "number" || !isLess(before, after)) return undefined;
  if (count === "replicas" && after === 0) return "no replica is left";
  if (count === "replicas" && after === 1)
    return "one replica is left, so a node drain causes an outage";
  if (count === "minReplicas" && after <= 1) {
    return "only one replica might be left, so a node drain might cause an outage";
  }
  return undefined;
}

function isLess(before: unknown, after: unknown): boolean {
  return typeof after === "number" && (typeof before === "number" ? after < before : after === 0);
}

function fieldValueText(value: Json | undefined): string {
  if (value === undefined) return "not set";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Describes a changed image. It shows the registry only if that changes. */
export function imageText(before: string, after: string): string {
  const [old, now] = [before, after].map((image) => image.slice(image.lastIndexOf("/") + 1));
  const isSamePlace =
    before.slice(0, before.length - (old?.length ?? 0)) ===
    after.slice(0, after.length - (now?.length ?? 0));
  return isSamePlace ? `image: ${old} → ${now}` : `image: ${before} → ${after}`;
}
