import type { Json } from "../../model/json.ts";
import type { ChangeSource, FieldAuthor, FieldChange } from "../../model/plan/attribution.ts";
import { formatAge } from "../../model/text/times.ts";
import type { Row, RowField } from "./row.ts";

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

/** An equal change of an important field in one or more objects. */
export interface NotableChange extends NotableField {
  /** The objects with this change. */
  readonly names: readonly string[];
  /** The source of the change, if it isn't one of the compared commits. */
  readonly source?: Exclude<ChangeSource, "change"> | undefined;
  /** The author of the live value, if it isn't this deployment. */
  readonly by?: FieldAuthor | undefined;
}

/** Returns the changes of replicas and images. Equal changes of several objects are one entry. */
export function notableChanges(rows: readonly Row[]): readonly NotableChange[] {
  const found = rows
    .filter(({ action }) => ["update", "replace", "rename"].includes(action))
    .flatMap((row) => row.fields.flatMap((field) => notableFieldChange(field, row.name)));
  const groups = Map.groupBy(found, ({ text, means, source, by }) =>
    JSON.stringify([source, by, text, means]),
  );
  return [...groups.values()].flatMap((alike) => {
    const [first] = alike;
    const names = [...new Set(alike.flatMap((each) => each.names))];
    return first === undefined ? [] : [{ ...first, names }];
  });
}

function notableFieldChange(
  { notable, source, by: author }: RowField,
  name: string,
): readonly NotableChange[] {
  if (notable === undefined) return [];
  const by = author === undefined ? {} : { by: author };
  const origin = source === "change" ? by : { source, ...by };
  return [{ ...notable, names: [name], ...origin }];
}

/**
 * Returns `kubectl-edit, 3 days ago`. Without the current time, it returns
 * `kubectl-edit, since 2026-11-19T08:00:00Z`.
 */
export function authorText({ manager, since }: FieldAuthor, now: string | undefined): string {
  if (since === undefined) return manager;
  return `${manager}, ${formatAge(since, now) ?? `since ${since}`}`;
}
