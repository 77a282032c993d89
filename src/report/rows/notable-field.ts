import type { FieldChange } from "../../model/attribution.ts";
import type { Json } from "../../model/json.ts";

/** What a reviewer asks first of an update: how many run, and what. */
export interface NotableField {
  /** `replicas: 3 → 1`. */
  readonly text: string;
  /** Less runs than before. */
  readonly isRisk: boolean;
  /** What that comes to, where it is not plain to see. */
  readonly means?: string | undefined;
}

/** How many there are of something, or which image runs; undefined for every other field. */
export function notableField({
  path,
  before,
  after,
}: Pick<FieldChange, "path" | "before" | "after">): NotableField | undefined {
  const count = /^spec\.((?:min|max)?[rR]eplicas|parallelism|suspend|paused)$/.exec(path)?.[1];
  if (count !== undefined) {
    const isRisk = isLess(before, after) || after === true;
    const means = meaningOf(count, before, after);
    const text = `${count}: ${textOf(before)} → ${textOf(after)}`;
    return { text, isRisk, ...(means && { means }) };
  }
  if (!/[cC]ontainers\[[^[\]]*\]\.image$/.test(path)) return undefined;
  if (typeof before !== "string" || typeof after !== "string") return undefined;
  return { text: imageText(before, after), isRisk: false };
}

/** What fewer of something come to. */
function meaningOf(count: string, before: unknown, after: unknown): string | undefined {
  if (after === true) return count === "suspend" ? "nothing is started any more" : undefined;
  if (typeof after !== "number" || !isLess(before, after)) return undefined;
  if (count === "replicas" && after === 0) return "none is left";
  if (count === "replicas" && after === 1)
    return "one replica is left, so a node drain is an outage";
  if (count === "minReplicas" && after <= 1) {
    return "one replica may be left, so a node drain may be an outage";
  }
  return undefined;
}

function isLess(before: unknown, after: unknown): boolean {
  return typeof after === "number" && (typeof before === "number" ? after < before : after === 0);
}

function textOf(value: Json | undefined): string {
  if (value === undefined) return "not set";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The registry is said where it is what changes. */
export function imageText(before: string, after: string): string {
  const [old, now] = [before, after].map((image) => image.slice(image.lastIndexOf("/") + 1));
  const isSamePlace =
    before.slice(0, before.length - (old?.length ?? 0)) ===
    after.slice(0, after.length - (now?.length ?? 0));
  return isSamePlace ? `image: ${old} → ${now}` : `image: ${before} → ${after}`;
}
