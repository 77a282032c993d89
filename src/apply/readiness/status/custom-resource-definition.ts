import type { KubeObject } from "../../../model/object.ts";
import { condition, explain, isTrue } from "./conditions.ts";
import { failed, ready, type Status, waiting } from "./status.ts";

export function customResourceDefinitionStatus(object: KubeObject): Status {
  const names = condition(object, "NamesAccepted");
  if (names?.status === "False") return failed(explain(names));
  return isTrue(object, "Established") ? ready() : waiting("not established yet");
}
