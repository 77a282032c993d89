import { apiProblem } from "../../model/cluster/api-failure.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { OverriddenFreeze } from "../../model/release.ts";
import { shorten } from "../../redaction/graphemes.ts";
import type { PlanningContext } from "../planning-context.ts";
import type { Checked } from "./checked.ts";
import { type Freeze, freezeName, freezeOf } from "./freeze.ts";

export type FreezeContext = Pick<
  PlanningContext,
  "cluster" | "deployment" | "purpose" | "now" | "overrideFreeze"
>;

/** The blockers and notices of a freeze in the namespace. */
export interface CheckedFreeze extends Checked {
  /** The freeze that this deployment overrides; its release records it. */
  readonly overridden: OverriddenFreeze | undefined;
}

/**
 * Blocks a deployment or rollback while a freeze is in effect (docs/deploy/freeze.md); a preview
 * prints a notice.
 * Without permission to read the freeze, qvs prints a notice and blocks nothing, because older
 * Roles don't grant it.
 */
export async function checkFreeze(context: FreezeContext): Promise<CheckedFreeze> {
  const { cluster, deployment, purpose, now, overrideFreeze } = context;
  const { name, namespace } = deployment;
  const address = { apiVersion: "v1", kind: "ConfigMap", namespace, name: freezeName };
  const read = await cluster.read(address);
  if (!read.ok) {
    const problem = apiProblem(cluster, "read whether deployments are frozen", read.failure);
    // Admission doesn't check reads, so a 403 always means a missing permission.
    if (read.failure.reason !== "forbidden") return { ...none, blockers: [problem] };
    const fix = `Allow get of the ConfigMap ${freezeName} in namespace ${namespace}`;
    return { ...none, notices: [{ ...problem, code: "missing-permission", fix }] };
  }
  const freeze = freezeOf(read.value, name, now);
  if (freeze === undefined) return none;
  if (freeze.id === overrideFreeze) return overriddenBy(freeze, namespace);
  const problem = frozen(freeze, namespace, overrideFreeze);
  if (purpose === "deploy") return { ...none, blockers: [problem] };
  const what = `The deployment would be refused: ${problem.what}`;
  return { ...none, notices: [{ ...problem, what }] };
}

const none: CheckedFreeze = { blockers: [], notices: [], overridden: undefined };

function frozen(freeze: Freeze, namespace: string, named: string | undefined): Problem {
  const other = named === undefined ? "" : `, and override-freeze names "${named}"`;
  const end = freeze.until === undefined ? "it is lifted" : "then";
  const fix = `Wait until ${end}, or go on all the same with --override-freeze=${freeze.id} (input override-freeze)`;
  return {
    code: "deployments-frozen",
    where: [],
    what: `${freezeText(freeze, namespace)}${other}`,
    fix,
  };
}

function overriddenBy(freeze: Freeze, namespace: string): CheckedFreeze {
  const what = freezeText(freeze, namespace);
  const fix = "It goes on all the same, as override-freeze says";
  const { id, reason, by, until } = freeze;
  return {
    blockers: [],
    notices: [{ code: "deployments-frozen", where: [], what, fix }],
    overridden: { id, reason: shorten(reason, longestText), by: by && shorten(by, 100), until },
  };
}

const longestText = 500;

/**
 * Formats a freeze: `Deployments in namespace shop are frozen until 2026-12-01T08:00:00Z by ann:
 * Black Friday`.
 */
function freezeText({ reason, by, until, malformedUntil }: Freeze, namespace: string): string {
  const end = until === undefined ? "" : ` until ${until}`;
  const who = by === undefined ? "" : ` by ${shorten(by, 100)}`;
  const malformed =
    malformedUntil === undefined
      ? ""
      : ` (its until, "${shorten(malformedUntil, 50)}", is no time such as 2026-12-01T08:00:00Z, so it has no end)`;
  return `Deployments in namespace ${namespace} are frozen${end}${who}: ${shorten(reason, longestText)}${malformed}`;
}
