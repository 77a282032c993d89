import { isCrd } from "../../model/cluster/namespaces-and-crds.ts";
import { caBundlePath, hasInvalidCaBundle, isCaInjected } from "../../model/cluster/webhooks.ts";
import { at, listAt, textAt } from "../../model/json.ts";
import { type KubeObject, nameOf } from "../../model/object.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { asPlanned } from "../planned-pods.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

/**
 * Reports CustomResourceDefinitions that the API server accepts but never serves.
 * It skips definitions that are already served, because an update can't cause this.
 */
export function kindNotServed({ plan, placeOf }: PreflightInput): readonly Finding[] {
  return plan.changes.flatMap((change): readonly Finding[] => {
    const { id, live } = change;
    if (!isCrd(id) || (live !== undefined && isEstablished(live))) return [];
    const planned = asPlanned(change);
    if (!hasInvalidCaBundle(planned) || isCaInjected(planned)) return [];
    return [
      changeFinding(change, placeOf, {
        code: "kind-not-served",
        severity: "error",
        what: `${nameOf(id)}: the API server would never serve its kind`,
        why: "The caBundle of its conversion webhook contains no certificate, and no annotation lets a controller inject one",
        fix: "Set caBundle to the certificate authority, or remove caBundle and let a controller inject it, for example cert-manager with the annotation cert-manager.io/inject-ca-from",
        path: caBundlePath,
      }),
    ];
  });
}

function isEstablished(definition: KubeObject): boolean {
  return listAt(definition, "status", "conditions").some(
    (each) => textAt(each, "type") === "Established" && at(each, "status") === "True",
  );
}
