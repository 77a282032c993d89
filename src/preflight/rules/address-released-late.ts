import { contendedValues } from "../../model/cluster/exclusive-values.ts";
import { isCoreKind } from "../../model/kinds.ts";
import { nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";
import { capitalize } from "./sentences.ts";

/**
 * Reports Services that request the load balancer address of a Service that this deployment
 * deletes.
 * qvs deletes objects last, so the new Service might wait for the address until then.
 */
export function addressReleasedLate({ plan, placeOf }: PreflightInput): readonly Finding[] {
  const old = plan.deletions.flatMap((deletion) =>
    contendedValues(deletion.live).map(({ key }) => [key, deletion.id] as const),
  );
  const holders = new Map(old);
  return plan.changes.filter(isWrittenService).flatMap((change): readonly Finding[] => {
    const { id, desired, live } = change;
    const kept = new Set(live === undefined ? [] : contendedValues(live).map((one) => one.key));
    const [claim] = contendedValues(desired).filter(
      (one) => !kept.has(one.key) && holders.has(one.key),
    );
    const holder = claim && holders.get(claim.key);
    if (claim === undefined || holder === undefined) return [];
    return [
      changeFinding(change, placeOf, {
        code: "address-released-late",
        severity: "warning",
        what: `${nameOf(id)} claims ${claim.description}, which ${nameOf(holder)} still has`,
        why: `qvs deletes ${nameOf(holder)} last. ${capitalize(claim.why)}`,
        fix: `Keep the name ${holder.name}, deploy once without ${nameOf(id)} first, or leave the address to the controller`,
        path: claim.path,
      }),
    ];
  });
}

/**
 * Reports whether the change writes a Service.
 * The webhooks that reject an Ingress take part in its dry run, but no dry run checks an address.
 */
function isWrittenService({ action, id }: Change): boolean {
  return isCoreKind(id, "Service") && action !== "unchanged";
}
