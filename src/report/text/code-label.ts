import { fieldOf } from "../../model/json.ts";
import type { FindingCode } from "../../model/problems/finding-codes.ts";

/** The codes as phrases about an object, for a heading. */
const codeLabelTexts: Partial<Readonly<Record<FindingCode, string>>> = {
  "rollout-deadlock": "rollout can't complete",
  "never-fits": "Pods can't run",
  "rollout-slow": "slow rollout",
  "rollout-unknown": "rollout not computed",
  "rolled-back": "ends a rollback",
  immutable: "recreated",
  "job-runs-again": "runs again",
  "requests-lost": "requests might be lost",
  "service-without-endpoints": "Service without Pods",
  "deletes-outside-objects": "deletes other objects",
  "deletes-dependents": "deletes owned objects",
  "existing-claims-unchanged": "PersistentVolumeClaims stay",
  "owner-missing": "missing owner",
  "kept-object-missing": "kept object was deleted",
  "no-volume": "no volume available",
  preempts: "evicts running Pods",
  "webhook-down": "webhook doesn't answer",
};

/** Returns the words for a code: `field conflict` for `field-conflict`. */
export function codeLabel(code: string): string {
  return (
    fieldOf(codeLabelTexts as Readonly<Record<string, string>>, code) ?? code.replaceAll("-", " ")
  );
}
