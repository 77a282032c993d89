import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createHealthEvaluator } from "../../../src/health/evaluator.ts";
import type { HealthState } from "../../../src/health/rule.ts";
import type { KubeObject } from "../../../src/model/object.ts";

/** A state of an object, with the state that another tool documents for it. */
interface DocumentedState {
  readonly source: string;
  readonly expected: "Healthy" | "Progressing" | "Degraded" | "Suspended" | "Unknown" | "Missing";
  readonly object: KubeObject;
}

const states: Readonly<Record<DocumentedState["expected"], HealthState>> = {
  Healthy: "ready",
  Progressing: "progressing",
  Degraded: "failed",
  Suspended: "suspended",
  Unknown: "unknown",
  Missing: "unknown",
};

/** Intended differences, by source. qvs is stricter in each of them. */
const differences: Readonly<Record<string, string>> = {
  "kafka.strimzi.io/KafkaBridge/testdata/healthy.yaml": "generation 25, observed 14",
  "kafka.strimzi.io/KafkaBridge/testdata/degraded.yaml": "generation 25, observed 14",
  "kafka.strimzi.io/KafkaConnect/testdata/healthy.yaml": "it is being deleted",
  "kafka.strimzi.io/KafkaConnector/testdata/healthy.yaml": "generation 25, observed 1",
  "kafka.strimzi.io/KafkaConnector/testdata/degraded.yaml": "generation 25, observed 1",
  "projectcontour.io/HTTPProxy/testdata/parent_child.yaml": "it is invalid: IncludeNotFound",
  "rabbitmq.com/Exchange/testdata/healthy.yaml": "an older generation was observed",
  "rabbitmq.com/Exchange/testdata/degraded.yaml": "an older generation was observed",
};

// QVS_HEALTH_STATES names the file. It isn't part of the project, because other projects own it.
const file = process.env["QVS_HEALTH_STATES"];

describe.skipIf(file === undefined)("the documented states of many operators", () => {
  const documented: readonly DocumentedState[] =
    file === undefined ? [] : JSON.parse(readFileSync(file, "utf8"));
  const { judge } = createHealthEvaluator();
  const judged = documented.map(({ source, expected, object }) => ({
    source,
    expected: states[expected],
    found: judge({ ...object, metadata: object.metadata ?? {} }).state,
  }));
  const different = judged.filter(({ expected, found }) => expected !== found);

  it("are those of the rules, with few intended differences", () => {
    expect(judged.length).toBeGreaterThan(900);
    expect(different.map(({ source }) => source).toSorted()).toEqual(
      Object.keys(differences).toSorted(),
    );
    expect(different.length / judged.length).toBeLessThanOrEqual(0.02);
  });

  it("are never ready if they aren't documented as ready", () => {
    expect(different.filter(({ found }) => found === "ready")).toEqual([]);
  });
});
