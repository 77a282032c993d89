import pLimit from "p-limit";
import { describe, expect, it, test } from "vitest";
import { parse } from "yaml";
import { applyPlan } from "../../../../src/apply/apply-plan.ts";
import {
  type DeletionContext,
  deleteObject,
} from "../../../../src/apply/deletion/delete-object.ts";
import type { ApplyResult } from "../../../../src/apply/summarize-run.ts";
import {
  deploymentLabel,
  keepOnDeleteAnnotation,
  releaseNamespaceLabel,
} from "../../../../src/model/annotations.ts";
import type { JsonObject } from "../../../../src/model/json.ts";
import { addressOf, type KubeObject } from "../../../../src/model/object.ts";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import type { Cluster } from "../../../../src/ports/kubernetes.ts";
import type { ProgressReporter } from "../../../../src/ports/terminal.ts";
import { checkPorts } from "../../../support/check-ports.ts";
import { type FakeCluster, fakeCluster, refused } from "../../../support/fake-cluster.ts";
import { marksOf, planFrom } from "../../../support/plan/plan-from-text.ts";
import { virtualClock } from "../../../support/virtual-clock.ts";

const never = new AbortController().signal;
const oldKey = "core:ConfigMap::shop/old";

function apply(
  cluster: Cluster,
  plan: Plan,
  report: ProgressReporter["report"] = () => {},
): Promise<ApplyResult> {
  const progress = { report };
  const world = {
    ...{ cluster, ...checkPorts, clock: virtualClock(), progress },
    ...{ signal: never, lost: never },
  };
  return applyPlan(plan, world, { concurrency: 16, timeoutMs: 600_000 });
}

function contextOf(cluster: Cluster, dependents: DeletionContext["dependents"]): DeletionContext {
  const noWait = () => {
    throw new Error("the object still exists");
  };
  return {
    ...{ cluster, dependents, owner: { deployment: "shop", namespace: "shop" } },
    ...{ limit: pLimit(1), clock: virtualClock(), signal: never, timeoutMs: 1 },
    watches: { followOne: noWait } as unknown as DeletionContext["watches"],
    stall: { begin: noWait } as unknown as DeletionContext["stall"],
    ...{ onSending: () => {}, onWaiting: noWait },
  };
}

/** Returns lines such as `ConfigMap shop/old: deleted`, one per object. */
function outcomes({ results }: ApplyResult): string {
  return results
    .map(({ key, outcome, detail }) => `${key}: ${outcome}${detail && ` (${detail})`}`)
    .join("\n");
}

/** Creates an object of the namespace from its kind and other fields. */
function object(apiVersion: string, kind: string, yaml: string): KubeObject {
  const { metadata, ...rest } = parse(yaml);
  return { apiVersion, kind, ...rest, metadata: { namespace: "shop", name: "db", ...metadata } };
}

const mounts = "{containers: [{name: a, envFrom: [{configMapRef: {name: old}}]}]}";

/** Metadata of a Pod that is shutting down. */
function terminating(graceSeconds: number): string {
  return `{uid: old-pod, deletionTimestamp: "2026-01-01", deletionGracePeriodSeconds: ${graceSeconds}}`;
}

describe("a ConfigMap that is no longer declared", () => {
  const makers: readonly (readonly [string, KubeObject, string])[] = [
    ["a running Pod", object("v1", "Pod", `{spec: ${mounts}, status: {phase: Running}}`), "kept"],
    ["a Pod that is scheduled", object("v1", "Pod", `{spec: ${mounts}}`), "kept"],
    [
      "a Pod that still exists after its grace period",
      object("v1", "Pod", `{spec: ${mounts}, metadata: ${terminating(30)}}`),
      "deleted",
    ],
    [
      "a Pod with a finalizer that has finished",
      object(
        "v1",
        "Pod",
        `{spec: ${mounts}, metadata: ${terminating(3600)}, status: {phase: Failed}}`,
      ),
      "deleted",
    ],
    [
      "a Pod that has finished",
      object("v1", "Pod", `{spec: ${mounts}, status: {phase: Succeeded}}`),
      "deleted",
    ],
    [
      "a Pod that has failed",
      object("v1", "Pod", `{spec: ${mounts}, status: {phase: Failed}}`),
      "deleted",
    ],
    [
      "a Pod of another namespace",
      object("v1", "Pod", `{spec: ${mounts}, metadata: {namespace: other}}`),
      "deleted",
    ],
    [
      "a Pod that refers to a Secret of the same name",
      object("v1", "Pod", "{spec: {volumes: [{secret: {secretName: old}}]}}"),
      "deleted",
    ],
    [
      "a Deployment without replicas",
      object("apps/v1", "Deployment", `{spec: {replicas: 0, template: {spec: ${mounts}}}}`),
      "kept",
    ],
    [
      "a StatefulSet",
      object("apps/v1", "StatefulSet", `{spec: {template: {spec: ${mounts}}}}`),
      "kept",
    ],
    [
      "a DaemonSet",
      object("apps/v1", "DaemonSet", `{spec: {template: {spec: ${mounts}}}}`),
      "kept",
    ],
    [
      "a ReplicaSet",
      object("apps/v1", "ReplicaSet", `{spec: {replicas: 1, template: {spec: ${mounts}}}}`),
      "kept",
    ],
    [
      "a ReplicaSet of an earlier revision",
      object("apps/v1", "ReplicaSet", `{spec: {replicas: 0, template: {spec: ${mounts}}}}`),
      "deleted",
    ],
    ["a Job", object("batch/v1", "Job", `{spec: {template: {spec: ${mounts}}}}`), "kept"],
    [
      "a Job that is complete",
      object(
        "batch/v1",
        "Job",
        `{spec: {template: {spec: ${mounts}}}, status: {conditions: [{type: Complete, status: "True"}]}}`,
      ),
      "deleted",
    ],
    [
      "a CronJob",
      object("batch/v1", "CronJob", `{spec: {jobTemplate: {spec: {template: {spec: ${mounts}}}}}}`),
      "kept",
    ],
  ];
  it.each(makers)("named by %s", async (_name, maker, outcome) => {
    const cluster = fakeCluster([maker]);
    const result = await apply(cluster, planFrom(cluster, "app delete ConfigMap old"));
    const detail = ` (still used by ${maker.kind} shop/db)`;
    expect(outcomes(result)).toBe(`${oldKey}: ${outcome}${outcome === "kept" ? detail : ""}`);
    expect(result.succeeded).toBe(true);
  });

  it("named by a Rollout, where the cluster serves that kind", async () => {
    const rollout = object("argoproj.io/v1", "Rollout", `{spec: {template: {spec: ${mounts}}}}`);
    const cluster: FakeCluster = {
      ...fakeCluster([rollout]),
      preferredKind: (group, kind) => cluster.kind(`${group}/v1`, kind),
    };
    const result = await apply(cluster, planFrom(cluster, "app delete ConfigMap old"));
    expect(outcomes(result)).toBe(`${oldKey}: kept (still used by Rollout shop/db)`);
  });

  it("is kept with its dependencies, and the report names some of its users", async () => {
    const pods = [1, 2, 3, 4, 5].map((n) =>
      object("v1", "Pod", `{spec: ${mounts}, metadata: {name: p${n}}}`),
    );
    const cluster = fakeCluster(pods);
    const plan = planFrom(
      cluster,
      `app delete ConfigMap old
       app delete Namespace shop after ConfigMap old`,
    );
    const result = await apply(cluster, plan);
    expect(outcomes(result)).toBe(
      `${oldKey}: kept (still used by Pod shop/p1, Pod shop/p2, Pod shop/p3 and 2 more)
core:Namespace::shop: kept (ConfigMap shop/old depends on it and is kept)`,
    );
    expect(cluster.writes).toEqual([]);
  });

  it("is deleted when the last terminating Pod that uses it has ended", async () => {
    const pod = object("v1", "Pod", `{spec: ${mounts}, metadata: ${terminating(3600)}}`);
    const cluster = fakeCluster([pod]);
    const plan = planFrom(cluster, "app delete ConfigMap old");
    const waits: string[] = [];
    const result = await apply(cluster, plan, (event) => {
      if (event.type !== "waiting") return;
      waits.push(event.why);
      if (waits.length === 3) cluster.remove(addressOf(pod));
    });
    expect(outcomes(result)).toBe(`${oldKey}: deleted`);
    const text = "terminating Pods still use it: Pod shop/db (at most 600 s)";
    expect(waits).toEqual([text, text, text]);
  });

  it("is kept if a terminating Pod uses it longer than the timeout", async () => {
    const pod = object("v1", "Pod", `{spec: ${mounts}, metadata: ${terminating(3600)}}`);
    const cluster = fakeCluster([pod]);
    const result = await apply(cluster, planFrom(cluster, "app delete ConfigMap old"));
    expect(outcomes(result)).toBe(`${oldKey}: kept (terminating Pods still use it: Pod shop/db)`);
    expect(cluster.writes).toEqual([]);
    expect(result.succeeded).toBe(true);
  });

  it("is kept if its users are unknown, which isn't a failure", async () => {
    const cluster = fakeCluster();
    const blind: FakeCluster = {
      ...cluster,
      list: async () => refused("forbidden", 403, 'User "ci" cannot list resource "pods"'),
    };
    const plan = planFrom(
      blind,
      `app delete ConfigMap old
       app delete Service web`,
    );
    const result = await apply(blind, plan);
    expect(outcomes(result)).toBe(
      `${oldKey}: kept (qvs can't find out whether it is still used: User "ci" cannot list resource "pods")
core:Service::shop/web: deleted`,
    );
    expect(result.succeeded).toBe(true);
  });

  it("is kept if a Pod starts to use it during earlier deletions", async () => {
    const cluster = fakeCluster();
    const plan = planFrom(
      cluster,
      `app delete ConfigMap first
       app delete ConfigMap old after ConfigMap first`,
    );
    cluster.onWrite((write) => {
      if (write === "delete ConfigMap shop/first")
        cluster.put(object("v1", "Pod", `{spec: ${mounts}}`));
    });
    expect(outcomes(await apply(cluster, plan))).toContain(
      `${oldKey}: kept (still used by Pod shop/db)`,
    );
  });

  it("is deleted after its only user, although users were listed earlier", async () => {
    const cluster = fakeCluster();
    const plan = planFrom(
      cluster,
      `app delete ConfigMap unused
       app delete Deployment web
       app delete ConfigMap old after Deployment web`,
    );
    const web = cluster.get("apps:Deployment::shop/web");
    const template = { spec: parse(mounts) };
    cluster.put({ ...(web as KubeObject), spec: { ...(web?.spec as JsonObject), template } });
    const result = await apply(cluster, plan);
    expect(result.results.map((r) => r.outcome)).toEqual(["deleted", "deleted", "deleted"]);
  });
});

test("each kind that creates Pods is listed once per namespace, for any number of deletions", async () => {
  const lists: string[] = [];
  const cluster = fakeCluster();
  const counting: FakeCluster = {
    ...cluster,
    list: (...query) => {
      lists.push(query.join(" "));
      return cluster.list(...query);
    },
  };
  const names = Array.from({ length: 20 }, (_, index) => `app delete ConfigMap c${index}`);
  await apply(counting, planFrom(counting, names.join("\n")));
  expect(cluster.writes).toHaveLength(20);
  expect(lists).toHaveLength(7);
  expect(new Set(lists).size).toBe(7);
});

describe("an object that changed after the plan was made", () => {
  const ownMetadata = { name: "old", namespace: "shop", ...marksOf("app") };
  const cases: readonly (readonly [string, JsonObject, string])[] = [
    [
      "got keepOnDelete",
      { ...ownMetadata, annotations: { [keepOnDeleteAnnotation]: "by-hand" } },
      "kept (changed after the plan was made: key by-hand, revision 0)",
    ],
    [
      "got the label of another deployment",
      { ...ownMetadata, labels: { [deploymentLabel]: "bakery" } },
      `kept (changed after the plan was made: its label ${deploymentLabel} names the deployment bakery)`,
    ],
    [
      "was adopted by a deployment of the same name in another namespace",
      { ...ownMetadata, labels: { [deploymentLabel]: "shop", [releaseNamespaceLabel]: "other" } },
      `kept (changed after the plan was made: its label ${releaseNamespaceLabel} names other)`,
    ],
    [
      "lost qvs's field manager",
      { ...ownMetadata, managedFields: [] },
      "kept (changed after the plan was made: its field managers don't include qvs-shop-appSetup or qvs-shop-app)",
    ],
    [
      "got an annotation without meaning",
      { ...ownMetadata, annotations: { store: "x" } },
      "deleted",
    ],
  ];
  const change = (cluster: FakeCluster, metadata: JsonObject) => {
    cluster.put({ apiVersion: "v1", kind: "ConfigMap", metadata });
  };

  it.each(cases)("%s", async (_name, metadata, outcome) => {
    const cluster = fakeCluster();
    const plan = planFrom(cluster, "app delete ConfigMap old");
    change(cluster, metadata);
    expect(outcomes(await apply(cluster, plan))).toBe(`${oldKey}: ${outcome}`);
  });

  it.each(cases)("%s immediately before its deletion", async (_name, metadata, outcome) => {
    const cluster = fakeCluster();
    const plan = planFrom(cluster, "app delete ConfigMap old");
    let changed = false;
    cluster.onWrite(() => {
      if (!changed) change(cluster, metadata);
      changed = true;
    });
    expect(outcomes(await apply(cluster, plan))).toBe(`${oldKey}: ${outcome}`);
  });

  it("is kept if its PersistentVolumeClaims would now be deleted too", async () => {
    const cluster = fakeCluster();
    const plan = planFrom(cluster, "app delete StatefulSet db");
    const key = "apps:StatefulSet::shop/db";
    const spec = {
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" },
      volumeClaimTemplates: [{}],
    };
    cluster.put({ ...(cluster.get(key) as KubeObject), spec });
    expect(outcomes(await apply(cluster, plan))).toBe(
      `${key}: kept (changed after the plan was made: its PersistentVolumeClaims would be deleted too)`,
    );
  });

  it.each([
    [
      "orphan",
      5,
      { state: "kept", why: "spec.replicas changed from 1 to 5 after the plan was made" },
    ],
    ["orphan", 1, undefined],
    [undefined, 5, undefined],
  ] as const)(
    "keeps a StatefulSet that leaves its Pods (%s) and has %i replicas now: %j",
    async (dependents, replicas, kept) => {
      const cluster = fakeCluster();
      const [deletion] = planFrom(cluster, "app delete StatefulSet db").deletions;
      if (deletion === undefined) throw new Error("the plan deletes nothing");
      cluster.put({ ...(cluster.get(deletion.key) as KubeObject), spec: { replicas } });
      const outcome = await deleteObject(deletion, contextOf(cluster, dependents));
      const expected = kept && { ...kept, fix: "Run the deployment again" };
      expect(outcome).toEqual(expected ?? { state: "absent" });
    },
  );

  it("changes repeatedly, so qvs gives up", async () => {
    const cluster = fakeCluster();
    const plan = planFrom(cluster, "app delete ConfigMap old");
    cluster.onWrite(() => change(cluster, ownMetadata));
    const result = await apply(cluster, plan);
    expect(cluster.writes).toHaveLength(11);
    expect(result.failures[0]?.what).toMatch(
      /^another user or tool changed it after qvs made the plan/,
    );
  });

  it("no longer exists, so qvs sends nothing", async () => {
    const cluster = fakeCluster();
    const plan = planFrom(cluster, "app delete ConfigMap old");
    cluster.remove({ apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name: "old" });
    expect(outcomes(await apply(cluster, plan))).toBe(`${oldKey}: deleted`);
    expect(cluster.writes).toEqual([]);
  });
});

test("qvs repeats a deletion that a just deleted policy still denies", async () => {
  const guard = "ValidatingAdmissionPolicyBinding guard";
  const plan = (after: string) => `app delete ${guard}\napp delete ConfigMap old${after}`;
  const denied = refused(
    "invalid",
    422,
    "ValidatingAdmissionPolicy 'p' with binding 'guard' denied request: no",
  ).failure;
  const ended = async (after: string, times: number) => {
    const marks = marksOf("app");
    const labels = { [deploymentLabel]: "shop", [releaseNamespaceLabel]: "shop" };
    const cluster = fakeCluster([
      {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingAdmissionPolicyBinding",
        metadata: { name: "guard", ...marks, labels },
      },
    ]);
    const planned = planFrom(cluster, plan(after));
    cluster.refuse("ConfigMap shop/old", ...Array.from({ length: times }, () => denied));
    return outcomes(await apply(cluster, planned))
      .split("\n")
      .find((line) => line.includes("old"));
  };
  expect(await ended(` after ${guard}`, 3)).toBe(`${oldKey}: deleted`);
  expect(await ended(` after ${guard}`, 30)).toContain("denied request: no");
  expect(await ended("", 3)).toContain("denied request: no");
});
