import { at, type Json, type JsonObject, objectAt } from "../../model/json.ts";
import type { Workload } from "./workload.ts";

/** A change of the spec that lets a rollout complete, and its description. */
export interface RolloutFix {
  readonly spec: JsonObject;
  readonly fix: string;
  readonly paste: readonly string[];
}

/**
 * Lists possible fixes, the least disruptive first.
 * The simulation tests each fix before a finding suggests it.
 */
export function rolloutFixes({ kind, spec }: Workload): readonly RolloutFix[] {
  switch (kind) {
    case "Deployment":
      return [
        strategyFix(spec, "rollingUpdate", { maxUnavailable: 1 }, stopOldFirst),
        strategyFix(spec, "rollingUpdate", { maxSurge: 0, maxUnavailable: 1 }, stopOldFirst),
        replacementFix(
          spec,
          "strategy",
          { type: "Recreate" },
          "Set the strategy to Recreate, without rollingUpdate: it stops all old Pods before the new ones start",
        ),
      ];
    case "Rollout":
      return at(spec, "strategy", "canary") === undefined
        ? []
        : [
            strategyFix(spec, "canary", { maxSurge: 0 }, noSurge),
            strategyFix(spec, "canary", { maxSurge: 0, maxUnavailable: 1 }, stopOldFirst),
            strategyFix(spec, "canary", { maxUnavailable: 1 }, stopOldFirst),
          ];
    case "DaemonSet":
      return [
        {
          ...replacementFix(
            spec,
            "updateStrategy",
            { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
            stopOldFirst,
          ),
          paste: specLines([
            "updateStrategy:",
            "  rollingUpdate:",
            "    maxSurge: 0",
            "    maxUnavailable: 1",
          ]),
        },
      ];
    case "StatefulSet":
      return [];
  }
}

const stopOldFirst = "Set maxUnavailable to 1, so that one old Pod stops before a new one starts";
const noSurge = "Set maxSurge to 0, so that an old Pod stops before a new one starts";

function strategyFix(spec: JsonObject, name: string, fields: JsonObject, fix: string): RolloutFix {
  const strategy = objectAt(spec, "strategy");
  const changed = { ...strategy, [name]: { ...objectAt(strategy, name), ...fields } };
  const lines = Object.entries(fields).map(
    ([field, value]) => `    ${field}: ${scalarText(value)}`,
  );
  const paste = specLines(["strategy:", `  ${name}:`, ...lines]);
  return { spec: { ...spec, strategy: changed }, fix, paste };
}

function replacementFix(
  spec: JsonObject,
  name: string,
  value: JsonObject,
  fix: string,
): RolloutFix {
  const lines = Object.entries(value).map(([field, each]) => `  ${field}: ${scalarText(each)}`);
  return { spec: { ...spec, [name]: value }, fix, paste: specLines([`${name}:`, ...lines]) };
}

/** Adds the path to lines that a user pastes. */
export function specLines(lines: readonly string[]): readonly string[] {
  return ["spec:", ...lines.map((line) => `  ${line}`)];
}

function scalarText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
