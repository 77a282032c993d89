import { isCaInjected } from "../../../model/cluster/ca-bundle.ts";
import type { KubeObject } from "../../../model/object.ts";
import { explainCondition, findCondition, type StatusCondition } from "./conditions.ts";
import { failed, ready, type Status, waiting } from "./status.ts";

export function customResourceDefinitionStatus(object: KubeObject): Status {
  const names = findCondition(object, "NamesAccepted");
  if (names?.status === "False") return failed(explainCondition(names));
  const established = findCondition(object, "Established");
  if (established?.status === "True") return ready();
  if (established?.reason === "InvalidCABundle" && !isCaInjected(object))
    return failed(explainCondition(established));
  return waiting(["not established yet", ...notEstablishedReason(established)].join(": "));
}

/**
 * Returns the reason why a definition isn't established.
 * An example is an invalid CA of its conversion webhook that a controller must replace.
 */
function notEstablishedReason(established: StatusCondition | undefined): readonly string[] {
  return established === undefined || established.reason === "Installing"
    ? []
    : [explainCondition(established)];
}
