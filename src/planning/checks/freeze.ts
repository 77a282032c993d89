import { textAt } from "../../model/json.ts";
import { type KubeObject, uidOf } from "../../model/object.ts";

/**
 * The name of the ConfigMap that freezes the deployments of its namespace (docs/deploy/freeze.md).
 */
export const freezeName = "qvs-freeze";

/** A freeze that is in effect. Its texts come from the cluster. */
export interface Freeze {
  /**
   * The id that overrides this freeze, and never the next one: its name, or the start of its uid.
   */
  readonly id: string;
  readonly reason: string;
  readonly by: string | undefined;
  /** The end in RFC 3339; undefined if the freeze lasts until a user removes it. */
  readonly until: string | undefined;
  /** The value of `until` if it isn't a valid time. */
  readonly malformedUntil?: string | undefined;
}

/**
 * Returns the freeze of a deployment at a time (ISO 8601); undefined if none is in effect.
 * An invalid end counts as no end: a typo must not lift a freeze that a user wanted.
 */
export function activeFreeze(
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
    reason: text("reason") ?? "none given",
    by: text("by"),
    until: isTime ? until : undefined,
    ...(until === undefined || isTime ? {} : { malformedUntil: until }),
  };
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
