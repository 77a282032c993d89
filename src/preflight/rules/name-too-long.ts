import { hasBehavior } from "../../model/cluster/api/server-version.ts";
import { fieldOf } from "../../model/json.ts";
import { kindKey } from "../../model/kinds.ts";
import { nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { awaitsPods, keepsTemplate, plannedPods } from "../planned-pods.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

/**
 * Objects that controllers create before any Pod.
 * Their names are the name of the object, a hyphen and a hash. Newer Deployment controllers shorten
 * the name.
 */
const controllerObjects: Readonly<Record<string, string>> = {
  "apps/DaemonSet": "ControllerRevision",
  "argoproj.io/Rollout": "ReplicaSet",
};
const withDeployments = { ...controllerObjects, "apps/Deployment": "ReplicaSet" };

/** The API server accepts names of 253 characters, and the hash of a template has up to 10. */
const maxNameLength = 253 - 1 - 10;

/**
 * Reports names that are too long for a controller.
 * The API server accepts the object, but rejects the objects that its controller creates.
 */
export function nameTooLong({ plan, facts, placeOf }: PreflightInput): readonly Finding[] {
  const isShortened = hasBehavior("deploymentsShortenNames", facts.server);
  const objects = isShortened ? controllerObjects : withDeployments;
  return plannedPods(plan.changes).flatMap(({ change }): readonly Finding[] => {
    const { id } = change;
    const kind = fieldOf(objects, kindKey(id));
    if (kind === undefined || id.name.length <= maxNameLength || keepsTemplate(change)) return [];
    return [
      changeFinding(change, placeOf, {
        code: "never-fits",
        severity: awaitsPods(change) ? "error" : "warning",
        what: `${nameOf(id)} would never have Pods`,
        why: `The name of its ${kind} is its own name with a hash of up to 10 characters, and would have more than 253 characters`,
        fix: `Shorten its name to at most ${maxNameLength} characters`,
        path: ["metadata", "name"],
      }),
    ];
  });
}
