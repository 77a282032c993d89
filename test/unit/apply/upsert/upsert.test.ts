import { describe, expect, it } from "vitest";
import { findPropagatingWrites } from "../../../../src/apply/retry-writes.ts";
import {
  isStepRequest,
  stepExecutions,
  type UpsertContext,
  upsert,
} from "../../../../src/apply/upsert/upsert.ts";
import { type JsonObject, textAt } from "../../../../src/model/json.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { Change, Plan, Step } from "../../../../src/model/plan/plan.ts";
import { type FakeCluster, fakeCluster, refused } from "../../../support/fake-cluster.ts";
import { changeBetween, objectFrom } from "../../../support/plan/change-between.ts";
import { planFrom } from "../../../support/plan/plan-from-text.ts";
import { virtualClock } from "../../../support/virtual-clock.ts";

interface Sent {
  readonly cluster: FakeCluster;
  readonly objects: KubeObject[];
  readonly managers: string[];
}

function recording(): Sent {
  const cluster = fakeCluster();
  const objects: KubeObject[] = [];
  const managers: string[] = [];
  const spy: FakeCluster = {
    ...cluster,
    apply(object, options) {
      objects.push(object);
      managers.push(`${options.fieldManager} force=${options.force} dryRun=${options.dryRun}`);
      return cluster.apply(object, options);
    },
  };
  return { cluster: spy, objects, managers };
}

function only(plan: Plan): Change {
  const [change] = plan.changes;
  if (change === undefined) throw new Error("the plan is empty");
  return change;
}

const nothingWritten = findPropagatingWrites([]);

function send(
  cluster: FakeCluster,
  change: Change,
  propagating = nothingWritten,
  { clock = virtualClock(), definedAt }: Partial<Pick<UpsertContext, "clock" | "definedAt">> = {},
) {
  const signal = new AbortController().signal;
  const executions = stepExecutions(change, "shop").filter(isStepRequest);
  const context = { cluster, clock, deployment: "shop", propagating, definedAt, signal };
  return upsert(change, executions, context);
}

const modified = refused("conflict", 409, "the object has been modified");

const recreate = { type: "Recreate" };

function withVersion(change: Change): Change {
  const resourceVersion = textAt(change.live, "metadata", "resourceVersion") ?? "";
  const metadata = { ...change.desired.metadata, resourceVersion };
  return { ...change, desired: { ...change.desired, metadata } };
}

describe("one upsert", () => {
  it("uses the field manager of its deployment and stage and doesn't force", async () => {
    const { cluster, managers } = recording();
    await send(cluster, only(planFrom(cluster, "appSetup create ConfigMap a")));
    expect(managers).toEqual(["qvs-shop-appSetup force=false dryRun=false"]);
  });

  it("has no uid for a new object", async () => {
    const { cluster, objects } = recording();
    await send(cluster, only(planFrom(cluster, "app create ConfigMap a")));
    expect(objects[0]?.metadata).toEqual({ name: "a", namespace: "shop" });
  });

  it("has the uid of an existing object, so that a replacement is detected", async () => {
    const { cluster, objects } = recording();
    const change = only(planFrom(cluster, "app update ConfigMap a"));
    await send(cluster, change);
    expect(objects[0]?.metadata.uid).toBe(change.live?.metadata.uid);
  });

  it("is repeated with a new resource version if only the status has changed", async () => {
    const { cluster, objects } = recording();
    const change = withVersion(only(planFrom(cluster, "app update Deployment web")));
    cluster.put({ ...(change.live ?? change.desired), status: { replicas: 7 } });
    cluster.refuse("Deployment shop/web", modified.failure);
    const answer = await send(cluster, change);
    expect(answer.ok).toBe(true);
    const versions = objects.map((object) => object.metadata.resourceVersion);
    expect(versions).toHaveLength(2);
    expect(versions[0]).not.toBe(versions[1]);
  });

  it("isn't repeated if more than the status has changed", async () => {
    const { cluster, objects } = recording();
    const change = withVersion(only(planFrom(cluster, "app update ConfigMap a")));
    cluster.put({ ...(change.live ?? change.desired), data: { other: "value" } });
    cluster.refuse("ConfigMap shop/a", modified.failure);
    expect(await send(cluster, change)).toMatchObject({ ok: false });
    expect(objects).toHaveLength(1);
  });

  it("is repeated if the API server gives up merging it into an object that keeps changing", async () => {
    const { cluster, objects } = recording();
    const message =
      'Operation cannot be fulfilled on services "a": the object has been modified; please apply your changes to the latest version and try again';
    const { failure } = refused("conflict", 409, message);
    cluster.refuse("ConfigMap shop/a", failure, failure);
    const answer = await send(cluster, only(planFrom(cluster, "app update ConfigMap a")));
    expect(answer.ok).toBe(true);
    expect(objects).toHaveLength(3);
  });

  it("isn't repeated if another object has replaced it", async () => {
    const { cluster, objects } = recording();
    const { failure } = refused("conflict", 409, "uid mismatch: the provided object specified uid");
    cluster.refuse("ConfigMap shop/a", failure);
    const answer = await send(cluster, only(planFrom(cluster, "app update ConfigMap a")));
    expect(answer.ok).toBe(false);
    expect(objects).toHaveLength(1);
  });

  it.each([
    ["by the planned version if the previous patch is already done", "1", ["1"]],
    ["not at all if another object has replaced it in the meantime", "another", []],
  ])("is sent %s", async (_, uid, uidsSent) => {
    const { cluster, objects } = recording();
    const update = withVersion(only(planFrom(cluster, "app update Deployment web")));
    const { desired } = update;
    const live = { ...(update.live ?? desired), spec: { replicas: 9, strategy: recreate } };
    const removal: Step = {
      type: "remove-default",
      path: ["spec", "strategy"],
      value: recreate,
      removes: "rollingUpdate",
    };
    const patching: FakeCluster = {
      ...cluster,
      patch: async () => {
        cluster.put({ ...live, metadata: { ...live.metadata, uid } });
        return modified;
      },
    };
    const change = {
      ...update,
      live: { ...live, spec: {}, metadata: { ...live.metadata, uid: "1" } },
    };
    await send(patching, { ...change, steps: [removal, { type: "apply" }] });
    expect(objects.map(({ metadata }) => metadata.uid)).toEqual(uidsSent);
    for (const { metadata } of objects) {
      expect(metadata.resourceVersion).toBe(desired.metadata.resourceVersion);
    }
  });

  it("is repeated for a kind that this run creates, until the API server serves the kind", async () => {
    const { cluster } = recording();
    const { failure } = refused("unknown-kind", 404, "no such kind");
    cluster.refuse("ConfigMap shop/a", failure, failure);
    const change = only(planFrom(cluster, "app create ConfigMap a"));
    const answer = await send(cluster, change, {
      ...nothingWritten,
      kinds: new Set(["/ConfigMap"]),
    });
    expect(answer).toMatchObject({ ok: true });
    expect(cluster.writes.filter((write) => write === "forget kinds")).toHaveLength(2);
  });

  const undeclared =
    "failed to create typed patch object: .spec.code: field not declared in schema";

  it.each<[string, Step]>([
    ["apply", { type: "apply" }],
    ["force", { type: "force", conflicts: [] }],
  ])(
    "with a new field of a kind that this run changes is repeated for half a minute: %s",
    async (_, step) => {
      const { cluster } = recording();
      const update = only(planFrom(cluster, "app update ConfigMap a"));
      const { failure } = refused("invalid", 500, undeclared);
      cluster.refuse("ConfigMap shop/a", ...Array.from({ length: 50 }, () => failure));
      const justWritten = { ...nothingWritten, kinds: new Set(["/ConfigMap"]) };
      const answer = await send(cluster, { ...update, steps: [step] }, justWritten);
      expect(answer).toMatchObject({ ok: true });
    },
  );

  describe("for a kind whose CustomResourceDefinition this run has changed", () => {
    const previousSpec = { size: 1, list: ["ours"] };
    const newSpec = { size: 1, list: ["ours", "theirs"] };

    /**
     * Returns the requests with their times, in ms since the update of the
     * CustomResourceDefinition. The server uses the new one after `after` dry-runs.
     */
    async function sent(step: Step, { after, predicts = newSpec }: Sending) {
      const cluster = fakeCluster();
      const update = only(planFrom(cluster, "app update Widget a"));
      const clock = virtualClock();
      const definedAt = clock.now().getTime();
      const requests: string[] = [];
      let dryRuns = 0;
      const late: FakeCluster = {
        ...cluster,
        apply: async (object, { dryRun, force }) => {
          const at = clock.now().getTime() - definedAt;
          requests.push([dryRun ? "asked" : "sent", ...(force ? ["by force"] : []), at].join(" "));
          if (dryRun) dryRuns += 1;
          return { ok: true, value: { ...object, spec: dryRuns > after ? newSpec : previousSpec } };
        },
      };
      const predicted = { ...update.desired, spec: predicts };
      await send(late, { ...update, steps: [step], predicted }, nothingWritten, {
        clock,
        definedAt,
      });
      return requests;
    }

    interface Sending {
      readonly after: number;
      readonly predicts?: JsonObject;
    }

    it("is sent as soon as the API server merges it as predicted", async () => {
      expect(await sent({ type: "apply" }, { after: 0 })).toEqual(["asked 0", "sent 0"]);
      const waited = ["asked 0", "asked 500", "asked 1000", "sent 1000"];
      expect(await sent({ type: "apply" }, { after: 2 })).toEqual(waited);
    });

    it("is sent after 5 s if the result never matches the prediction", async () => {
      const requests = await sent({ type: "apply" }, { after: 0, predicts: { size: 2 } });
      expect(requests.at(-1)).toBe("sent 5000");
      expect(requests).toHaveLength(11);
    });

    it("has a forced dry-run if it is forced", async () => {
      const requests = await sent({ type: "force", conflicts: [conflict] }, { after: 1 });
      expect(requests).toEqual(["asked by force 0", "asked by force 500", "sent 500"]);
    });
  });

  const conflict = { field: "spec.size", manager: "other", subresource: "" };

  const podSecurity = 'pods "a" is forbidden: violates PodSecurity "restricted:latest": privileged';
  const limits = 'pods "a" is forbidden: maximum cpu usage per Container is 1, but limit is 2';
  const quota = 'pods "a" is forbidden: exceeded quota: most, requested: pods=1';
  const noClass = 'pods "a" is forbidden: no PriorityClass with name high was found';
  const policy = "ValidatingAdmissionPolicy 'p' denied request: no";
  const bound = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no";

  it.each([
    ["fields that a kind of this run doesn't have yet", "app update ConfigMap a", undeclared, true],
    ["fields that any other kind doesn't have", "app update Service a", undeclared, false],
    ["another policy's denial", "app update ConfigMap a", policy, false],
    ["an unchanged policy", "appSetup update ValidatingAdmissionPolicy p", bound, true],
    ["its unchanged binding", "appSetup update ValidatingAdmissionPolicyBinding b", bound, true],
    ["a new policy", "appSetup create ValidatingAdmissionPolicy p", bound, false],
    ["another policy", "appSetup update ValidatingAdmissionPolicy other", bound, false],
    ["an unchanged namespace", "app update Namespace shop", podSecurity, true],
    ["another namespace", "app update Namespace other", podSecurity, false],
    ["an existing namespace", "app unchanged Namespace shop", podSecurity, false],
    ["an unchanged LimitRange", "app update LimitRange bounds", limits, true],
    ["an unchanged quota", "app update ResourceQuota most", quota, true],
    ["a class that the server doesn't know yet", "app create PriorityClass high", noClass, true],
    ["a class that this run doesn't create", "app create PriorityClass low", noClass, false],
  ])("is repeated only after a temporary rejection: %s", async (_, written, message, expected) => {
    const { cluster } = recording();
    const { failure } = refused(message === podSecurity ? "forbidden" : "invalid", 422, message);
    cluster.refuse("ConfigMap shop/a", failure, failure);
    const change = only(planFrom(cluster, "app create ConfigMap a"));
    const own = findPropagatingWrites(planFrom(cluster, written).changes);
    const kinds = new Set(written.includes("ConfigMap") ? ["/ConfigMap"] : []);
    expect(await send(cluster, change, { ...own, kinds })).toMatchObject({ ok: expected });
  });

  const admission = "admissionregistration.k8s.io/v1";

  it.each([
    ["limits", true],
    ["others", false],
  ])(
    "is repeated after a denial by a policy while the run writes ConfigMap %s",
    async (name, expected) => {
      const { cluster } = recording();
      const denial =
        "ValidatingAdmissionPolicy 'most' with binding 'most' denied request: failed expression: false";
      const { failure } = refused("invalid", 422, denial);
      cluster.refuse("ConfigMap shop/a", failure, failure);
      const objectOf = (apiVersion: string, kind: string, spec: string, object = "most") => {
        return objectFrom(
          `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: ${object}}, spec: {${spec}}}`,
        );
      };
      const rule = objectOf(
        admission,
        "ValidatingAdmissionPolicy",
        "paramKind: {apiVersion: v1, kind: ConfigMap}",
      );
      const binding = objectOf(
        admission,
        "ValidatingAdmissionPolicyBinding",
        "policyName: most, paramRef: {name: limits}",
      );
      const written = objectOf("v1", "ConfigMap", "", name);
      const bound = [
        changeBetween(rule, rule, { action: "unchanged" }),
        changeBetween(binding, binding, { action: "unchanged" }),
        changeBetween(written, written),
      ];
      const change = only(planFrom(cluster, "app create ConfigMap a"));
      expect(await send(cluster, change, findPropagatingWrites(bound))).toMatchObject({
        ok: expected,
      });
    },
  );

  it.each([
    ["its unchanged class", "app update StorageClass disks", true],
    ["another class", "app update StorageClass other", false],
  ])(
    "is repeated for a PersistentVolumeClaim that can't grow yet only while the run writes %s",
    async (_, written, expected) => {
      const { cluster } = recording();
      const growth =
        'persistentvolumeclaims "a" is forbidden: only dynamically provisioned pvc can be resized';
      const { failure } = refused("forbidden", 403, growth);
      cluster.refuse("ConfigMap shop/a", failure, failure);
      const change = only(planFrom(cluster, "app create ConfigMap a"));
      const claim = {
        ...change,
        desired: { ...change.desired, spec: { storageClassName: "disks" } },
      };
      const own = findPropagatingWrites(planFrom(cluster, written).changes);
      expect(await send(cluster, claim, own)).toMatchObject({ ok: expected });
    },
  );

  it.each([
    ["is retried until the quota no longer counts the old one", 60_000, true],
    ["fails if the quota still has no room after that", 61_000, false],
  ])("for a recreated object %s", async (_, countedForMs, expected) => {
    const cluster = fakeCluster();
    const clock = virtualClock();
    const roomAt = clock.now().getTime() + countedForMs;
    const late: FakeCluster = {
      ...cluster,
      apply: async (object) =>
        clock.now().getTime() < roomAt
          ? refused("forbidden", 403, quota)
          : { ok: true, value: object },
    };
    const change = only(planFrom(cluster, "app create ConfigMap a"));
    const replaced: Change = { ...change, action: "replace" };
    expect(await send(late, replaced, nothingWritten, { clock })).toMatchObject({ ok: expected });
  });

  it("rewrites owners in the declared version as soon as the API server serves it", async () => {
    const { cluster } = recording();
    const update = only(planFrom(cluster, "app update Deployment web"));
    const entry = { manager: "us", operation: "Apply", apiVersion: "apps/v1", fieldsV1: {} };
    const live = { ...(update.live ?? update.desired) };
    const change: Change = {
      ...update,
      desired: { ...update.desired, apiVersion: "apps/v2" },
      live: { ...live, metadata: { ...live.metadata, managedFields: [entry] } },
      steps: [{ type: "migrate-api-version", versions: ["apps/v1"] }],
    };
    const requestedVersions: string[] = [];
    const { failure } = refused("unknown-kind", 404, "no such kind");
    const learning: FakeCluster = {
      ...cluster,
      patch: async ({ apiVersion }) => {
        requestedVersions.push(apiVersion);
        return requestedVersions.length < 3
          ? { ok: false, failure }
          : { ok: true, value: change.desired };
      },
    };
    const kinds = new Set(["apps/Deployment"]);
    expect(await send(learning, change, { ...nothingWritten, kinds })).toMatchObject({ ok: true });
    expect(requestedVersions).toEqual(["apps/v2", "apps/v2", "apps/v2"]);
  });

  const port = "spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated";
  const address = 'spec.clusterIPs: Invalid value: ["10.0.0.7"]: provided IP is already allocated';
  const isDefault = "PriorityClass low is already marked as default. Only one default can exist";

  it.each([
    ["replace", quota, true],
    ["create", quota, false],
    ["replace", port, true],
    ["create", port, false],
    ["replace", address, true],
    ["replace", isDefault, true],
  ] as const)(
    "to %s, rejected because of %s, is repeated: %s",
    async (action, message, expected) => {
      const { cluster } = recording();
      const { failure } = refused("forbidden", 403, message);
      cluster.refuse("ConfigMap shop/a", failure, failure);
      const change = { ...only(planFrom(cluster, "app create ConfigMap a")), action };
      expect(await send(cluster, change)).toMatchObject({ ok: expected });
    },
  );

  it("fails immediately for any other unknown kind", async () => {
    const { cluster } = recording();
    cluster.refuse("ConfigMap shop/a", refused("unknown-kind", 404, "no such kind").failure);
    const change = only(planFrom(cluster, "app create ConfigMap a"));
    expect(await send(cluster, change)).toMatchObject({ ok: false });
  });
});
