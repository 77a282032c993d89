import { builtInRules } from "../src/health/built-in-rules.ts";
import { createHealthEvaluator } from "../src/health/evaluator.ts";
import type { KubeObject } from "../src/model/object.ts";
import type { Row, Section } from "./section.ts";
import type { Cost } from "./timed.ts";

const count = 5000;

/**
 * Measures the states of many objects. Each round parses the expressions again, as each run does.
 */
export function measureHealth(rounds: number): Section {
  return {
    title: "Health",
    command: "npm run bench -- health",
    rounds,
    versions: ["CEL in JavaScript"],
    notes: [
      `${count} objects with three conditions and a managed field each, judged by one evaluator in one process.`,
      "Ruled: objects of every kind with a built-in rule. Unruled: objects of one kind without a rule.",
    ],
    rows: [measure("ruled", ruledObjects(), rounds), measure("unruled", unruledObjects(), rounds)],
  };
}

function measure(subject: string, objects: readonly KubeObject[], rounds: number): Row {
  const costs = Array.from({ length: rounds }, () => judgeAll(objects));
  return { subject, costs };
}

function judgeAll(objects: readonly KubeObject[]): Cost {
  const [wall, cpu] = [performance.now(), process.cpuUsage()];
  const { judge } = createHealthEvaluator();
  for (const object of objects) judge(object);
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: performance.now() - wall, cpuMs: (user + system) / 1000 };
}

function ruledObjects(): readonly KubeObject[] {
  const kinds = builtInRules().flatMap(({ groups, kinds: names }) =>
    groups.flatMap((group) => names.map((kind) => [group.replace("*", "any"), kind] as const)),
  );
  return Array.from({ length: count }, (_, index) => {
    const [group = "", kind = ""] = kinds[index % kinds.length] ?? [];
    return makeObject(group === "" ? "v1" : `${group}/v1`, kind, index);
  });
}

function unruledObjects(): readonly KubeObject[] {
  return Array.from({ length: count }, (_, index) =>
    makeObject("acme.example/v1", "Widget", index),
  );
}

function makeObject(apiVersion: string, kind: string, index: number): KubeObject {
  const condition = (type: string, status: string) => ({
    ...{ type, status, reason: "Reason", message: "A message of some length for a reader" },
    lastTransitionTime: "2026-01-01T00:00:00Z",
    observedGeneration: 3,
  });
  return {
    apiVersion,
    kind,
    metadata: {
      ...{ name: `object-${index}`, namespace: "shop", generation: 3, labels: { app: "web" } },
      managedFields: [{ manager: "controller", operation: "Update", fieldsV1: { "f:status": {} } }],
    },
    spec: { replicas: 3, template: { spec: { containers: [{ name: "web", image: "web:1" }] } } },
    status: {
      observedGeneration: 3,
      phase: "Ready",
      conditions: [
        condition("Synced", "True"),
        condition("Progressing", "False"),
        condition("Ready", "True"),
      ],
    },
  };
}
