import { apiProblem } from "../../model/cluster/api/api-failure.ts";
import type { PlanningRequest } from "../../model/deployments/deploy-request.ts";
import type { OverriddenFreeze } from "../../model/deployments/release.ts";
import { textAt } from "../../model/json.ts";
import { type KubeObject, uidOf } from "../../model/object.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { shorten } from "../../redaction/wrap.ts";
import type { PlanningContext } from "../planning-context.ts";
import { type CheckResult, joinSentences } from "./check-result.ts";

/**
 * The name of the ConfigMap that freezes the deployments of its namespace (docs/deploy/freeze.md).
 */
export const freezeName = "qvs-freeze";

/** A freeze that is in effect. Its texts come from the cluster. */
interface Freeze {
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
function activeFreeze(
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

export interface FreezeContext
  extends Pick<PlanningContext, "cluster" | "deployment" | "purpose" | "now"> {
  readonly request: Pick<PlanningRequest, "overrideFreeze">;
}

/** The blockers and notices of a freeze in the namespace. */
export interface FreezeCheck extends CheckResult {
  /** The freeze that this deployment overrides; its release records it. */
  readonly overridden: OverriddenFreeze | undefined;
}

/**
 * Blocks a deployment or rollback while a freeze is in effect (docs/deploy/freeze.md); a preview
 * prints a notice.
 * Without permission to read the freeze, qvs prints a notice and blocks nothing, because older
 * Roles don't grant it.
 */
export async function checkFreeze(context: FreezeContext): Promise<FreezeCheck> {
  const { cluster, deployment, purpose, now } = context;
  const { overrideFreeze } = context.request;
  const { name, namespace } = deployment;
  const address = { apiVersion: "v1", kind: "ConfigMap", namespace, name: freezeName };
  const read = await cluster.read(address);
  if (!read.ok) {
    const problem = apiProblem(cluster, "check for a freeze", read.failure);
    // Admission doesn't check reads, so a 403 always means a missing permission.
    if (read.failure.reason !== "forbidden") return { ...noFreeze, blockers: [problem] };
    const fix = `Allow get on ConfigMap ${freezeName} in namespace ${namespace} to this identity`;
    return { ...noFreeze, notices: [{ ...problem, code: "missing-permission", fix }] };
  }
  const freeze = activeFreeze(read.value, name, now);
  if (freeze === undefined) return noFreeze;
  if (freeze.id === overrideFreeze) return overriddenFreeze(freeze, namespace);
  const problem = frozenProblem(freeze, namespace, overrideFreeze);
  if (purpose === "deploy") return { ...noFreeze, blockers: [problem] };
  return { ...noFreeze, notices: [problem] };
}

const noFreeze: FreezeCheck = { blockers: [], notices: [], overridden: undefined };

function frozenProblem(freeze: Freeze, namespace: string, named: string | undefined): Problem {
  const { id, until } = freeze;
  const problem = freezeProblem(freeze, namespace);
  const other = named === undefined ? undefined : `--override-freeze names "${named}", not "${id}"`;
  return {
    ...problem,
    why: joinSentences(problem.why, other),
    fix: until === undefined ? "Wait until the freeze is lifted" : "Wait until the freeze ends",
    otherwise: [`override the freeze with --override-freeze=${id}`],
    inputs: [`override-freeze: ${id}`],
  };
}

function overriddenFreeze(freeze: Freeze, namespace: string): FreezeCheck {
  const fix = "Nothing to do: --override-freeze overrides this freeze";
  const { id, reason, by, until } = freeze;
  return {
    blockers: [],
    notices: [{ ...freezeProblem(freeze, namespace), fix }],
    overridden: { id, reason: shorten(reason, maxTextLength), by: by && shorten(by, 100), until },
  };
}

const maxTextLength = 500;

/** Describes a freeze, without a fix. */
function freezeProblem(
  { reason, by, until, malformedUntil }: Freeze,
  namespace: string,
): Omit<Problem, "fix"> {
  const end = until === undefined ? "" : ` until ${until}`;
  const invalid = malformedUntil === undefined ? undefined : shorten(malformedUntil, 50);
  return {
    code: "deployments-frozen",
    where: [],
    what: `Deployments in namespace ${namespace} are frozen${end}`,
    why: invalid === undefined ? undefined : noEndReason,
    facts: [
      { label: "reason", value: shorten(reason, maxTextLength) },
      ...(by === undefined ? [] : [{ label: "by", value: shorten(by, 100) }]),
      ...(invalid === undefined ? [] : [{ label: "until", value: `"${invalid}"` }]),
    ],
  };
}

const noEndReason =
  "The value of until isn't a time such as 2026-12-01T08:00:00Z, so the freeze has no end";
