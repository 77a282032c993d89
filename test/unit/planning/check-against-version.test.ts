import { expect, test } from "vitest";
import { parse } from "yaml";
import { upgradeTarget } from "../../../src/io/builtin-kinds/read.ts";
import { createReleaseHistory } from "../../../src/model/deployments/release-history.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { UpgradeTarget } from "../../../src/model/kubernetes-versions.ts";
import { idOf, type KubeObject, keyOf } from "../../../src/model/object.ts";
import type { Change } from "../../../src/model/plan/plan.ts";
import {
  type CheckedDeployment,
  checkAgainstVersion,
} from "../../../src/planning/check-against-version.ts";
import type { Cluster } from "../../../src/ports/kubernetes.ts";
import { renderVersionCheck } from "../../../src/report/plans/plan-text.ts";
import { fakeCluster } from "../../support/fake-cluster.ts";
import { shopRelease } from "../../support/shop/shop-report.ts";

const where = { file: "web.cue", line: 3, column: 1 };
const deployment = (spec: string, metadata = "{name: web}") =>
  parse(
    `{apiVersion: apps/v1, kind: Deployment, metadata: ${metadata}, spec: {selector: {}, template: {spec: ${spec}}}}`,
  ) as KubeObject;
const override = deployment("{hostnameOverride: web, containers: []}");
const probed = deployment(
  "{containers: [{name: web, livenessProbe: {httpGet: {host: example.com, port: 80}}}]}",
);

function targetOf(version: string): UpgradeTarget {
  const target = upgradeTarget(version);
  if (target === undefined) throw new Error("no packed facts");
  return target;
}

function compilationOf(
  objects: readonly JsonObject[],
  hides: readonly string[] = [],
): CheckedDeployment["compilation"] {
  const resources = objects.map((object, index) => ({
    ...{ type: "manifest", stage: "app", id: `r${index}`, object, where, dependsOn: [] },
  }));
  return { resources, hides } as unknown as CheckedDeployment["compilation"];
}

/** Returns a plan that changes nothing. */
function planOf(objects: readonly KubeObject[]): CheckedDeployment["plan"] {
  const changes = objects.map((desired, index) => {
    const id = idOf(desired);
    return { key: keyOf(id), id, desired, stage: "app", resource: `r${index}` } as Change;
  });
  return { changes } as unknown as CheckedDeployment["plan"];
}

async function check(
  version: string,
  objects: readonly KubeObject[],
  more: Partial<CheckedDeployment> = {},
) {
  return checkAgainstVersion(targetOf(version), {
    deployment: { namespace: "shop" },
    compilation: compilationOf(objects),
    ...more,
  });
}

test("checks the manifests without a cluster, in the namespace of the deployment", async () => {
  const { findings, againstVersion } = await check("1.33", [override]);
  expect(againstVersion).toEqual({ version: "1.33", isReleaseUnread: true, findings: 1 });
  expect(findings).toMatchObject([
    {
      code: "not-in-version",
      object: { namespace: "shop", name: "web" },
      where: [where],
      upgrade: { affects: ["change"] },
    },
  ]);
});

test("doesn't assume a version without a cluster", async () => {
  const policy = {
    ...{ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { name: "web" } },
    spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: "10.0.0.1/8" } }] }] },
  };
  const { findings, againstVersion } = await check("1.37", [policy]);
  expect(findings.map(({ code }) => code)).toEqual(["changed-validation"]);
  expect(againstVersion).toEqual({ version: "1.37", isReleaseUnread: true, findings: 1 });
});

test("checks the current release, and not a failed one", async () => {
  const placed = { ...override, metadata: { name: "web", namespace: "shop" } };
  const manifest = { stage: "app", resource: "web", object: placed, dependsOn: [] } as const;
  const release = shopRelease([], { revision: 7, expandedConfig: [manifest] });
  const failed = shopRelease([], { revision: 8, status: "failed", expandedConfig: [] });
  const recorded = createReleaseHistory([release, failed]);
  const { findings, againstVersion } = await check("1.33", [], { recorded });
  expect(againstVersion).toMatchObject({ release: 7, findings: 1 });
  expect(findings[0]?.upgrade).toMatchObject({ affects: ["deployed"], release: 7 });
});

const labels = { "pod-security.kubernetes.io/enforce": "baseline" };
const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels } };

/** Returns a cluster with this version and these objects. */
function clusterOf(minor: number, ...objects: readonly KubeObject[]): Cluster {
  const version = async () => ({ ok: true, value: { major: 1, minor } }) as const;
  return { ...fakeCluster(objects), version };
}

test("reads the Pod Security labels of the namespaces", async () => {
  const { findings } = await check("1.34", [probed], { cluster: clusterOf(33, namespace) });
  expect(findings.map(({ code, why }) => [code, why])).toEqual([
    ["changed-validation", expect.stringContaining('violates PodSecurity "baseline:latest"')],
  ]);
  const unlabeled = { ...namespace, metadata: { name: "shop" } };
  expect(await check("1.34", [probed], { cluster: clusterOf(33, unlabeled) })).toMatchObject({
    findings: [],
    againstVersion: { server: "1.33" },
  });
});

test("declared labels have priority over live ones", async () => {
  const pinned = {
    ...namespace,
    metadata: {
      name: "shop",
      labels: { "pod-security.kubernetes.io/enforce-version": "v1.33" },
    },
  };
  const cluster = clusterOf(33, namespace);
  expect((await check("1.34", [probed, pinned], { cluster })).findings).toEqual([]);
});

test("reports a namespace that can't be read", async () => {
  const failure = { reason: "forbidden", message: "no", causes: [] } as const;
  const list = async () => ({ ok: false, failure }) as never;
  const cluster = { ...clusterOf(33), list };
  const { findings, againstVersion } = await check("1.34", [probed], { cluster });
  expect(findings).toMatchObject([
    { code: "missing-permission", severity: "note", object: { kind: "Namespace", name: "shop" } },
  ]);
  expect(againstVersion.findings).toBe(0);
  // Without a plan, only findings about the other version are printed.
  expect(renderVersionCheck(againstVersion, findings)).toContain("Pod Security labels");
});

test.each([true, false])(
  "an annotation of the object allows a finding (with a plan: %s)",
  async (isPlanned) => {
    const allowed = deployment(
      "{hostnameOverride: web, containers: []}",
      '{name: web, namespace: shop, annotations: {"vs.axis-dev.io/allow": not-in-version}}',
    );
    const { findings, againstVersion } = await check("1.33", [allowed], {
      plan: isPlanned ? planOf([allowed]) : undefined,
    });
    expect(findings).toMatchObject([{ code: "not-in-version", allowed: { where: [where] } }]);
    expect(againstVersion.findings).toBe(0);
  },
);

test("hides secret parameters in the texts", async () => {
  const named = deployment("{hostnameOverride: a, containers: []}", "{name: hunter2}");
  const compilation = compilationOf([named], ["hunter2"]);
  const { findings } = await check("1.33", [], { compilation });
  expect(findings.map(({ what }) => what)).toEqual([expect.not.stringContaining("hunter2")]);
});

test("hides former secret parameters in the texts", async () => {
  const named = deployment("{hostnameOverride: a, containers: []}", "{name: web-hunter2}");
  const manifest = { stage: "app", resource: "web", object: named, dependsOn: [] } as const;
  const shown = shopRelease([], { revision: 7, expandedConfig: [manifest] });
  const layout = { ...shown.layout, params: { password: "hunter2" }, hidden: ["password"] };
  const former = { ...shown, revision: 6, layout };
  const recorded = createReleaseHistory([former, shown]);
  const { findings } = await check("1.33", [], { recorded });
  expect(findings.map(({ what }) => what)).toEqual([expect.not.stringContaining("hunter2")]);
});

test("checks the hooks of a deletion: those of the release and those of this change", async () => {
  const hook = { event: "pre-delete", object: override } as const;
  const placed = { ...override, metadata: { name: "web", namespace: "shop" } };
  const release = shopRelease([], { revision: 7, deletionHooks: [{ ...hook, object: placed }] });
  const recorded = createReleaseHistory([release]);
  const { findings } = await check("1.33", [], { recorded, deletionHooks: [hook] });
  expect(findings.map(({ upgrade }) => upgrade?.affects)).toEqual([["deployed", "change"]]);
});
