import { isCaInjected } from "../../../model/cluster/ca-bundle.ts";
import type { KubeObject } from "../../../model/object.ts";
import { type Condition, condition, explain } from "./conditions.ts";
import { failed, ready, type Status, waiting } from "./status.ts";

export function customResourceDefinitionStatus(object: KubeObject): Status {
  const names = condition(object, "NamesAccepted");
  if (names?.status === "False") return failed(explain(names));
  const established = condition(object, "Established");
  if (established?.status === "True") return ready();
  if (established?.reason === "InvalidCABundle" && !isCaInjected(object))
    return failed(explain(established));
  return waiting(["not established yet", ...obstacle(established)].join(": "));
}

/**
 * Returns the reason why a definition isn't established.
 * An example is an invalid CA of its conversion webhook that a controller must replace.
 */
function obstacle(established: Condition | undefined): readonly string[] {
  return established === undefined || established.reason === "Installing"
    ? []
    : [explain(established)];
}
