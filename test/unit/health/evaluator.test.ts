import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { createHealthEvaluator } from "../../../src/health/evaluator.ts";
import type { HealthRule } from "../../../src/model/health-rule.ts";
import type { KubeObject } from "../../../src/model/object.ts";

const rule: HealthRule = {
  groups: ["acme.example"],
  kinds: ["Widget"],
  current: "status.phase == 'Ready'",
  source: "test",
};

/** Returns state and reason as one text. */
function check(rules: readonly HealthRule[], yaml: string): string {
  const object = parse(`{apiVersion: acme.example/v1, kind: Widget, metadata: {name: x}}`);
  const { state, reason } = createHealthEvaluator(rules).judge({
    ...object,
    ...parse(yaml),
  } as KubeObject);
  return reason === "" ? state : `${state}: ${reason}`;
}

describe("a rule", () => {
  it.each([
    ["is ready if `current` is true", "{status: {phase: Ready}}", "ready"],
    [
      "is false if it reads a missing field",
      "{status: {}}",
      "progressing: its controller hasn't reported a status yet",
    ],
    [
      "reads an object without a status",
      "{}",
      "progressing: its controller hasn't reported a status yet",
    ],
    [
      "reads a status of another type",
      "{status: Ready}",
      "progressing: its status doesn't show that it is ready yet",
    ],
    [
      "waits for the newest generation",
      "{metadata: {name: x, generation: 2}, status: {phase: Ready, observedGeneration: 1}}",
      "progressing: its controller hasn't observed the change yet",
    ],
    [
      "accepts a newest generation that is a string",
      `{metadata: {name: x, generation: 2}, status: {phase: Ready, observedGeneration: "2"}}`,
      "ready",
    ],
    [
      "isn't ready while the object is being deleted",
      `{metadata: {name: x, deletionTimestamp: "2026-01-01T00:00:00Z"}, status: {phase: Ready}}`,
      "progressing: it is being deleted",
    ],
    [
      "isn't ready with a condition about an older generation",
      `{metadata: {name: x, generation: 2}, status: {phase: Ready, conditions: [{type: Ready, status: "True", observedGeneration: 1}]}}`,
      "progressing: its Ready condition is about an older generation",
    ],
    [
      "isn't ready while the object is stalled",
      `{status: {phase: Ready, conditions: [{type: Stalled, status: "True", reason: Broken}]}}`,
      "failed: Broken",
    ],
  ])("%s", (_name, object, expected) => {
    expect(check([rule], object)).toBe(expected);
  });

  const all: HealthRule = {
    ...rule,
    inProgress: "status.phase == 'Busy'",
    failed: "status.phase in ['Bad', 'Busy']",
    suspended: "status.phase == 'Off' || has(spec.off)",
    message: "'it is ' + status.phase",
  };
  it.each([
    ["Busy", "progressing: it is Busy"],
    ["Bad", "failed: it is Bad"],
    ["Off", "suspended: it is Off"],
    ["Ready", "ready"],
    ["Other", "unknown: it is Other"],
  ])("with all expressions decides about %s in their order", (phase, expected) => {
    expect(check([all], `{status: {phase: ${phase}}}`)).toBe(expected);
  });

  it("without a message gives the reason of the condition", () => {
    const failing = { ...rule, failed: "status.conditions.exists(c, c.status == 'False')" };
    const object = `{status: {conditions: [{type: Ready, status: "False", reason: NoDisk, message: "no\\n disk"}]}}`;
    expect(check([failing], object)).toBe("failed: NoDisk: no disk");
    const message = "status.conditions[0].message";
    expect(check([{ ...failing, message }], object)).toBe("failed: NoDisk: no disk");
  });

  it("hides commands in its message", () => {
    const object = `{status: {error: 'exec: ["sh", "-c", "echo secret"] failed'}}`;
    const failing = { ...rule, failed: "has(status.error)", message: "status.error" };
    expect(check([failing], object)).not.toContain("secret");
  });

  it("of a user wins over a built-in one", () => {
    const certificate = `{apiVersion: cert-manager.io/v1, kind: Certificate, status: {phase: Ready}}`;
    expect(check([], certificate)).toContain("progressing");
    const own = { ...rule, groups: ["cert-manager.io"], kinds: ["Certificate"] };
    expect(check([own], certificate)).toBe("ready");
  });

  it("finds the group and the kind by name first", () => {
    const kinds = ["*"];
    const rules: HealthRule[] = [
      { ...rule, groups: ["*.example"], kinds, current: "false", message: "'suffix, all'" },
      { ...rule, groups: ["acme.example"], kinds, current: "false", message: "'group, all'" },
      { ...rule, groups: ["*.example"], current: "false", message: "'suffix, kind'" },
      { ...rule, current: "false", message: "'group, kind'" },
    ];
    const found = [4, 3, 2, 1].map((count) => check(rules.slice(0, count), "{status: {a: 1}}"));
    expect(found).toEqual([
      "progressing: group, kind",
      "progressing: suffix, kind",
      "progressing: group, all",
      "progressing: suffix, all",
    ]);
    expect(check([rule], "{kind: constructor, status: {a: 1}}")).toContain("unknown: no rule");
  });
});

describe("the work of a rule", () => {
  const items = (count: number) => JSON.stringify(Array.from({ length: count }, (_, i) => `${i}`));
  const pairs = "status.items.exists(a, status.items.exists(b, a + b == 'x'))";

  it("is limited, and an object that needs more is never ready", () => {
    const costly = { ...rule, failed: pairs };
    expect(check([costly], `{status: {phase: Ready, items: ${items(10)}}}`)).toBe("ready");
    const state = check([costly], `{status: {phase: Ready, items: ${items(5000)}}}`);
    expect(state).toBe("unknown: its rule is too much work for an object of this size");
  });

  it.each([
    ["a long expression", `${"true && ".repeat(1000)}status.phase == 'Ready'`],
    ["a syntax error", "status.phase =="],
    ["an unknown variable", "other.phase == 'Ready'"],
    ["a value of another type", "status.phase"],
  ])("of %s makes no object ready", (_name, current) => {
    expect(check([{ ...rule, current }], "{status: {phase: Ready}}")).not.toBe("ready");
  });
});

describe("a rule of a user", () => {
  const message = "self.?data.?password.orValue('') + status.?text.orValue('')";

  it("can't be about a kind of Kubernetes", () => {
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "db" },
      data: { password: "c3dvcmRmaXNo" },
    };
    for (const [groups, kinds] of [
      [[""], ["Secret"]],
      [[""], ["*"]],
    ] as const) {
      const found = createHealthEvaluator([
        { groups, kinds, current: "false", message, source: "test" },
      ]);
      expect(found.userRule({ group: "", kind: "Secret" })).toBeUndefined();
      expect(JSON.stringify(found.judge(secret))).not.toContain("c3dvcmRmaXNo");
    }
  });

  it("reads no secret values", () => {
    const widget = {
      apiVersion: "acme.example/v1",
      kind: "Widget",
      metadata: { name: "x" },
      spec: { password: "swordfish", size: 3 },
    };
    const judge = (more: Partial<HealthRule>) =>
      createHealthEvaluator([{ ...rule, ...more }]).judge(widget);
    const shown = judge({ current: "false", message: "spec.password + string(spec.size)" });
    expect(shown.reason).toContain("3");
    expect(shown.reason).not.toContain("swordfish");
    expect(judge({ current: "spec.password.startsWith('s')" }).state).toBe("progressing");
    expect(judge({ current: "spec.size == 3" }).state).toBe("ready");
  });
});
