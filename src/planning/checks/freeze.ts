import { textAt } from "../../model/json.ts";
import { type KubeObject, uidOf } from "../../model/object.ts";

/** The ConfigMap that freezes the deployments of its namespace (docs/deploy/freeze.md). */
export const freezeName = "qvs-freeze";

/** A freeze that holds. Its texts are from the cluster. */
export interface Freeze {
  /** What overrides it: its own name, else the beginning of its uid, so that it never means the next freeze. */
  readonly id: string;
  readonly reason: string;
  readonly by: string | undefined;
  /** RFC 3339; undefined where it holds until it is removed. */
  readonly until: string | undefined;
  /** `until` as it stands there, where it is no time. */
  readonly malformedUntil?: string | undefined;
}

/**
 * What freezes a deployment at a time (ISO 8601); undefined where nothing does. A freeze whose end can't be read holds: somebody
 * wanted it, and a slip of the pen must not undo that.
 */
export function freezeOf(
  configMap: KubeObject | undefined,
  deployment: string,
  now: string,
): Freeze | undefined {
  if (configMap === undefined) return undefined;
  const text = (key: string) => textAt(configMap, "data", key)?.trim() || undefined;
  const names = (text("deployments") ?? "").split(/[\s,]+/).filter((name) => name !== "");
  if (names.length > 0 && !names.includes(deployment)) return undefined;
  const until = text("until");
  const isTime = until !== undefined && rfc3339.test(until) && !Number.isNaN(Date.parse(until));
  if (isTime && Date.parse(until) <= Date.parse(now)) return undefined;
  return {
    id: text("name") ?? uidOf(configMap).slice(0, 8),
    reason: text("reason") ?? "no reason is given",
    by: text("by"),
    until: isTime ? until : undefined,
    ...(until === undefined || isTime ? {} : { malformedUntil: until }),
  };
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
