import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { judgeByConventions } from "../../../src/health/conventions.ts";
import type { KubeObject } from "../../../src/model/object.ts";

/** Judges an object of an unknown kind. Returns state and reason as one text. */
function check(yaml: string, kind = "Widget"): string {
  const object = { apiVersion: "acme.example/v1", kind, metadata: { name: "x", generation: 2 } };
  const { state, reason } = judgeByConventions({ ...object, ...parse(yaml) } as KubeObject);
  return reason === "" ? state : `${state}: ${reason}`;
}

/** Writes conditions as `Ready=False/NoDisk`. */
function conditions(text: string): string {
  const list = text.split(" ").map((each) => {
    const [, type, status, reason = ""] = /^(\w+)=(\w+)(?:\/(\w+))?$/.exec(each) ?? [];
    return { type, status, reason };
  });
  return JSON.stringify({ status: { conditions: list } });
}

describe("a kind without a rule", () => {
  it.each([
    ["Ready=True", "ready"],
    ["Ready=Unknown/Working", "progressing: Working"],
    ["Ready=False/NoBackend", "progressing: NoBackend"],
    ["Ready=False/CreateFailed", "failed: CreateFailed"],
    ["Ready=False/WaitingForDatabase", "progressing: WaitingForDatabase"],
    ["Available=True Progressing=False Degraded=False", "ready"],
    ["Available=True Progressing=True/NewReplicaSetAvailable", "ready"],
    ["Available=True Progressing=True/Rolling", "progressing: Rolling"],
    [
      "Available=True Progressing=False/ProgressDeadlineExceeded",
      "failed: ProgressDeadlineExceeded",
    ],
    ["Available=True Degraded=True/DiskFull", "failed: DiskFull"],
    ["Ready=True Synced=False/ReconcileError", "failed: ReconcileError"],
    ["Ready=True BackupReady=False/NoSchedule", "ready"],
    ["DatabaseReady=True CacheReady=False/Starting", "progressing: Starting"],
    ["Accepted=True ResolvedRefs=True", "ready"],
    ["Accepted=True ResolvedRefs=False/RefNotPermitted", "progressing: RefNotPermitted"],
    ["Ready=True Reconciling=True/NewRevision", "progressing: NewRevision"],
    ["Ready=True NotReady=False", "ready"],
    ["NotReady=True/NoDisk", "failed: NoDisk"],
    ["Complete=True/JobFailed", "failed: JobFailed"],
    ["Running=True/Running", "progressing: Running"],
    ["PartiallyReady=True/Some", "failed: Some"],
    ["Foo=True", "unknown: no rule for this kind, and its conditions don't show its state (Foo)"],
  ])("with the conditions %s", (text, expected) => {
    expect(check(conditions(text))).toBe(expected);
  });

  it.each([
    ["{phase: Ready}", "ready"],
    ["{phase: running}", "ready"],
    ["{state: Bound}", "ready"],
    ["{health: green}", "ready"],
    ["{health: {status: Healthy}}", "ready"],
    ["{phase: Pending}", "progressing: status.phase is Pending"],
    [
      "{phase: Bootstrapping, message: 2 of 3}",
      "progressing: status.phase is Bootstrapping: 2 of 3",
    ],
    ["{state: creating}", "progressing: status.state is creating"],
    ["{phase: Failed, message: no disk}", "failed: status.phase is Failed: no disk"],
    ["{status: ErrImagePull, phase: Ready}", "failed: status.status is ErrImagePull"],
    ["{phase: Paused}", "suspended: status.phase is Paused"],
    ["{phase: Purple}", "unknown: status.phase is Purple"],
    [
      "{phase: Ready, lastOperationStatus: Progressing}",
      "progressing: status.lastOperationStatus is Progressing",
    ],
    ["{phase: Ready, parts: [{phase: Failed}]}", "failed: status.parts.phase is Failed"],
    ["{phase: Ready, history: [{phase: Failed}]}", "ready"],
    ["{ready: true}", "ready"],
    ["{ready: false}", "progressing: status.ready is false"],
    ["{phase: Purple, conditions: [{type: Ready, status: 'True'}]}", "ready"],
    [
      "{phase: Creating, conditions: [{type: Ready, status: 'True'}]}",
      "progressing: status.phase is Creating",
    ],
    ["{conditions: [{type: Ready, status: true}]}", "ready"],
    [
      "{conditions: [{type: Ready, status: 'True', observedGeneration: 1}]}",
      "progressing: its Ready condition is about an older generation",
    ],
    [
      "{conditions: [{type: Ready, status: 'False', lastTransitionTime: '2026-01-01'}, {type: Ready, status: 'True', lastTransitionTime: '2026-01-02'}]}",
      "ready",
    ],
    ["{parents: [{conditions: [{type: Accepted, status: 'True'}]}]}", "ready"],
    [
      "{parents: [{conditions: [{type: Accepted, status: 'False', reason: NotAllowed}]}]}",
      "progressing: NotAllowed",
    ],
    ["{}", "unknown: no rule for this kind, and it reports no status"],
    ["{url: http://x}", "unknown: no rule for this kind, and it reports no state in its status"],
  ])("with the status %s", (status, expected) => {
    expect(check(`{status: ${status}}`)).toBe(expected);
  });

  it("that does work and ends isn't ready while it runs", () => {
    expect(check("{status: {phase: Running}}", "DatabaseBackup")).toContain("progressing");
    expect(check("{status: {phase: Completed}}", "DatabaseBackup")).toBe("ready");
  });

  it("isn't ready with too few replicas", () => {
    const object = (ready: number) => `{spec: {replicas: 3}, status: {readyReplicas: ${ready}}}`;
    expect(check(object(2))).toBe("progressing: status.readyReplicas is 2 of 3");
    expect(check(object(3))).toBe("ready");
  });

  it("can be suspended by its spec", () => {
    const object = "{spec: {suspend: true}, status: {conditions: [{type: Ready, status: 'True'}]}}";
    expect(check(object)).toBe("suspended: suspended by spec.suspend");
  });
});
