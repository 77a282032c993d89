import { describe, expect, it } from "vitest";
import type {
  DeployedObject,
  DeploymentState,
  ReleaseSummary,
} from "../../../../src/model/deployments/deployment-state.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { RecordedRollout } from "../../../../src/model/plan/predictions.ts";
import { createScrubber } from "../../../../src/redaction/scrub.ts";
import { displayWidth } from "../../../../src/redaction/wrap.ts";
import { renderDeployments } from "../../../../src/report/queries/deployments.ts";
import { renderInstances } from "../../../../src/report/queries/instances.ts";
import { renderOwners } from "../../../../src/report/queries/owners.ts";
import {
  inputJson,
  passedChecksJson,
  releaseManifests,
  renderResults,
} from "../../../../src/report/queries/release-details.ts";
import { renderReleases, rolloutsJson } from "../../../../src/report/queries/releases.ts";
import { renderStatus } from "../../../../src/report/queries/status.ts";
import { ownedFields } from "../../../../src/ssa/managed-fields.ts";

const now = "2026-03-04T12:00:00Z";
const hostile = "a\u001b[31mb\u202ec\n::error::d##[e]";

const summary = (revision: number, given: Partial<ReleaseSummary> = {}): ReleaseSummary => ({
  revision,
  status: "succeeded",
  isRunning: false,
  rollbackOf: undefined,
  onlyStage: undefined,
  startedAt: "2026-03-04T10:00:00.000Z",
  finishedAt: "2026-03-04T10:01:00.000Z",
  commit: "1a2b3c4d5e6f70819203",
  uncommitted: false,
  actor: "alice",
  run: undefined,
  changed: [],
  unchanged: 0,
  declared: 4,
  lastSeen: undefined,
  overrodeFreeze: undefined,
  ...given,
});

const result = (key: string, outcome: "created" | "failed" | "deleted" | "kept") => ({
  key,
  outcome,
  detail: "",
});

const instance = (name: string, given: Partial<DeployedObject> = {}): DeployedObject => ({
  key: `core:ConfigMap::shop/${name}`,
  id: { group: "", kind: "ConfigMap", namespace: "shop", name },
  apiVersion: "v1",
  stage: "app",
  release: 3,
  resource: "app/settings",
  paths: [["acme.example/adapters/app", "acme.example/adapters/config"]],
  keepOnDelete: undefined,
  state: "ready",
  why: "",
  live: undefined,
  isHealthy: true,
  ...given,
});

const shop: DeploymentState = {
  name: "shop",
  namespace: "shop",
  releases: [summary(4, { status: "failed" }), summary(3, { isRunning: true })],
  recorded: 4,
  instances: [
    instance("settings"),
    instance("gone", { state: "missing", why: "it is not in the cluster", isHealthy: false }),
    instance("old", { release: undefined, keepOnDelete: "conf", resource: undefined, paths: [] }),
  ],
  lock: { holder: "ci@host (pid 1)", since: "2026-03-04T11:58:00.000000Z", isAlive: true },
  problems: [],
};

describe("the text output of queries", () => {
  const of = { deployment: "shop", namespace: "shop", now };
  it.each<[string, () => string, string]>([
    [
      "releases are a timeline",
      () =>
        renderReleases(
          [
            summary(4, {
              status: "failed",
              changed: [
                result("core:ConfigMap::shop/old", "kept"),
                result("core:ConfigMap::shop/a", "created"),
                result("apps:Deployment::shop/web", "failed"),
              ],
            }),
            summary(3, {
              isRunning: true,
              rollbackOf: 1,
              lastSeen: {
                at: "2026-03-04T11:00:00Z",
                commit: "ffff",
                actor: "bob",
                run: undefined,
                runs: 2,
                orMore: true,
              },
            }),
            summary(2, { status: "never ended", commit: undefined, uncommitted: true }),
          ],
          of,
        ),
      `shop in namespace shop: 3 releases, release 3 is current
✖ 4  failed       2 hours ago
    1 failed, 1 created, 1 kept: Deployment web, ConfigMap a, ConfigMap old
    1a2b3c4d5e6f, by alice
● 3  current      2 hours ago  rollback to release 1
    no object changed; declares 4 objects
    1a2b3c4d5e6f, by alice
    at least 2 runs without changes since, the last 1 hour ago: ffff, by bob
… 2  never ended  2 hours ago
    changes unknown; declares 4 objects
    with uncommitted changes, by alice
`,
    ],
    [
      "a deployment is followed by its unready objects",
      () => renderDeployments([shop], { now }),
      `NAMESPACE  NAME  RELEASE  CHANGED      STATE               COMMIT
shop       shop  3        2 hours ago  1 of 3 not healthy  1a2b3c4d5e6f
    release 4: failed, 2 hours ago
    locked by ci@host (pid 1), acquired 2 minutes ago
    ConfigMap gone: missing: it is not in the cluster
1 deployment, 0 healthy
`,
    ],
    [
      "without any known commit, there is no column for it, and a single run isn't a last one",
      () => {
        const at = "2026-03-04T11:00:00.000Z";
        const lastSeen = { at, runs: 1, commit: undefined, actor: undefined, run: undefined };
        const known = { commit: undefined, actor: undefined, lastSeen };
        const releases = [summary(3, { isRunning: true, ...known })];
        const state: DeploymentState = { ...shop, releases, instances: [], lock: undefined };
        return `${renderDeployments([state], { now })}${renderReleases(releases, of)}`;
      },
      `NAMESPACE  NAME  RELEASE  CHANGED      STATE
shop       shop  3        2 hours ago  healthy
1 deployment, 1 healthy
shop in namespace shop: 1 release, release 3 is current
● 3  current  2 hours ago
    no object changed; declares 4 objects
    1 run without changes since, 1 hour ago
`,
    ],
    [
      "a status is shown object by object",
      () => renderStatus(shop, { now }),
      `shop in namespace shop: release 3, deployed 2 hours ago, 1 of 3 not healthy
    release 4: failed, 2 hours ago
    locked by ci@host (pid 1), acquired 2 minutes ago
✔ ready    ConfigMap settings
✖ missing  ConfigMap gone
    it is not in the cluster
✔ ready    ConfigMap old
    kept under the key conf
`,
    ],
    [
      "an object is shown with its path",
      () =>
        renderInstances([{ ...shop, instances: shop.instances.slice(0, 1) }], {
          kept: new Map(),
          now,
        }),
      `OBJECT                   DEPLOYMENT  RELEASE  STATE
ConfigMap shop/settings  shop/shop   3        ready
    acme.example/adapters/app › acme.example/adapters/config › app/settings
1 object of 1 deployment
`,
    ],
  ])("%s", (_, render, expected) => {
    expect(render()).toBe(expected);
  });

  it("sends no commands to a terminal or runner, and no row is wider than the terminal", () => {
    const long = `${hostile}${"x".repeat(5_000)}`;
    const release = summary(3, { actor: long, commit: hostile, run: hostile, isRunning: true });
    const wide = { ...shop, name: long, namespace: hostile, releases: [release] };
    const looks = { width: 80 };
    const text = [
      renderReleases([release], { deployment: hostile, namespace: hostile, now }, looks),
      renderDeployments([wide], { now, looks }),
      renderStatus(wide, { now, looks }),
      renderInstances([wide], { kept: new Map(), now }, looks),
    ].join("");
    for (const order of ["\u001b", "\u202e", "\n::error", "##["]) expect(text).not.toContain(order);
    const rows = text.split("\n").filter((line) => !/^ {4}/.test(line));
    expect(Math.max(...rows.map(displayWidth))).toBeLessThanOrEqual(80);
  });
});

describe("the owners of fields", () => {
  const managed = (manager: string, fields: object, subresource?: string) => ({
    manager,
    operation: "Apply",
    time: "2026-03-04T11:00:00Z",
    fieldsV1: fields,
    ...(subresource === undefined ? {} : { subresource }),
  });
  const object = (kind: string, ...managedFields: readonly object[]) =>
    ({
      apiVersion: "v1",
      kind,
      metadata: { name: "web", namespace: "shop", managedFields },
    }) as unknown as KubeObject;
  const render = (live: KubeObject, everyField = false) =>
    renderOwners(live, ownedFields(live), { now, everyField });

  it("are one line if all nested fields have the same owners", () => {
    const ours = { "f:data": { "f:a": {}, "f:b": {} }, "f:spec": { "f:replicas": {}, "f:x": {} } };
    const theirs = { "f:spec": { "f:replicas": {} } };
    const live = object("Widget", managed("qvs", ours), managed("hpa", theirs, "scale"));
    expect(render(live)).toBe(`Widget shop/web
├─ data (2 fields)  qvs, 1 hour ago
└─ spec
   ├─ replicas      qvs, 1 hour ago; hpa via scale, 1 hour ago
   └─ x             qvs, 1 hour ago
`);
    expect(render(object("Widget", managed("qvs", { "f:data": ours["f:data"] })), true)).toBe(
      `Widget shop/web
└─ data
   ├─ a  qvs, 1 hour ago
   └─ b  qvs, 1 hour ago
`,
    );
  });

  it("are a tree with branches on a narrow terminal", () => {
    const fields = {
      "f:metadata": {
        "f:annotations": { "f:deployment.kubernetes.io/revision": {} },
        "f:labels": { "f:app": {} },
      },
    };
    const live = object(
      "Deployment",
      managed("kube-controller-manager", fields, "status"),
      managed("qvs-shop", { "f:metadata": { "f:labels": { "f:app": {} } }, "f:spec": {} }),
    );
    const atWidth = (width: number) =>
      renderOwners(live, ownedFields(live), { now, everyField: false }, { width });
    expect(atWidth(80)).toBe(`Deployment shop/web
├─ metadata
│  ├─ annotations["deployment.kubernetes.io/revision"]  kube-controller-manager
│  │                                                    via status, 1 hour ago
│  └─ labels.app                                        kube-controller-manager
│                                                       via status, 1 hour ago;
│                                                       qvs-shop, 1 hour ago
└─ spec                                                 qvs-shop, 1 hour ago
`);
    expect(atWidth(60)).toBe(`Deployment shop/web
├─ metadata
│  ├─ annotations["deployment.kubernetes.io/revision"]
│  │     kube-controller-manager via status, 1 hour ago
│  └─ labels.app
│        kube-controller-manager via status, 1 hour ago;
│        qvs-shop, 1 hour ago
└─ spec
      qvs-shop, 1 hour ago
`);
  });

  it("contain no item of a Secret", () => {
    const live = object("Secret", managed("x", { "f:list": { 'v:"hunter22"': {} } }));
    expect(render(live)).not.toContain("hunter22");
    const misspelt = { ...object("Secert", ...(live.metadata.managedFields as object[])) };
    expect(render(misspelt)).not.toContain("hunter22");
  });

  it("contain no item of another object that might be a secret", () => {
    const items = (...keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, {}]));
    const live = object(
      "Gateway",
      managed("x", {
        "f:tokens": items('v:"hunter22"'),
        "f:users": items('k:{"name":"bob","password":"hunter22"}'),
        "f:urls": items('v:"postgres://shop:hunter22@db"'),
        "f:imagePullSecrets": items('k:{"name":"registry"}'),
        "f:hosts": items('v:"shop.example.com"'),
      }),
      managed("y", { "f:tokens": items('v:"other"') }),
    );
    expect(render(live, true)).toBe(`Gateway shop/web
├─ hosts["shop.example.com"]          x, 1 hour ago
├─ imagePullSecrets[name="registry"]  x, 1 hour ago
├─ tokens
│  ├─ […]                             x, 1 hour ago
│  └─ […]                             y, 1 hour ago
├─ urls[…]                            x, 1 hour ago
└─ users[…]                           x, 1 hour ago
`);
  });
});

describe("the content of a release", () => {
  const layout = { pattern: "", name: "", file: "", line: 1, group: undefined, params: {} };
  const compilation = (object: KubeObject, hides: readonly string[] = []) => ({
    resources: [
      { type: "manifest" as const, stage: "app" as const, id: "a", object, dependsOn: [] },
    ],
    ...{ pulumi: undefined, warnings: [], inputs: [], hides },
    layout: { ...layout, resources: [], composites: [] },
  });

  it("is shown without values of Secrets and hidden texts", () => {
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "a" },
      data: { password: "aHVudGVyMjI=" },
    };
    expect(releaseManifests(compilation(secret))).toContain("password: (hidden)");
    const plain = { ...secret, kind: "ConfigMap", data: { a: "is hunter22 in it" } };
    expect(releaseManifests(compilation(plain, ["hunter22"]))).not.toContain("hunter22");
  });

  it("shows only the names of params with secret names", () => {
    const params = { dbPassword: "hunter22", image: "web:1", greeting: "say hunter22" };
    const input = { config: "qvs.yaml", params, modules: [] };
    expect(inputJson(input, ["hunter22"])).toEqual({
      config: "qvs.yaml",
      params: { dbPassword: "(hidden)", image: "web:1", greeting: "(hidden)" },
      modules: [],
    });
    expect(createScrubber(["hunter22"]).hide("say hunter22")).toBe("say (hidden)");
  });
});

describe("a release with checks", () => {
  const passedChecks = [
    {
      ...({ name: "web", type: "http", at: "2026-03-04T10:00:00Z", attempts: 2 } as const),
      evidence: [{ label: "body", value: `hunter2hunter2 ${hostile}` }],
    },
    {
      ...({ name: "smoke", type: "job", at: "2026-03-04T10:00:01Z", attempts: 1 } as const),
      evidence: [{ label: "job", value: "demo-smoke-0123456789" }],
    },
  ];
  const shown = { results: [result("core:ConfigMap::shop/a", "created")], passedChecks };

  it("shows them below the objects, without secrets and control characters", () => {
    const text = String(renderResults(shown, ["hunter2hunter2"], {}));
    expect(text).toContain("passed   Check web");
    expect(text).toContain("http, 2026-03-04T10:00:00Z, 2 requests, body (hidden)");
    expect(text).toContain("job, 2026-03-04T10:00:01Z, 1 Pod, job demo-smoke-0123456789");
    expect(text).not.toContain("hunter2");
    expect(text).not.toContain("\u001b");
  });

  it("has them as JSON", () => {
    expect(passedChecksJson(shown, ["hunter2hunter2"])).toMatchObject([
      { name: "web", kind: "http", attempts: 2, evidence: [{ label: "body" }] },
      { name: "smoke", kind: "job", attempts: 1 },
    ]);
    expect(JSON.stringify(passedChecksJson(shown, ["hunter2hunter2"]))).not.toContain("hunter2");
    expect(passedChecksJson({ results: [] }, [])).toEqual([]);
  });
});

describe("the rollouts of a release", () => {
  const key = "apps:Deployment::shop/web";
  const forecast = { key, replicas: 4, leastReady: 3, morePods: 1, waves: 2 };
  const shown = (rollout: RecordedRollout) =>
    String(renderResults({ results: [result(key, "created")], rollouts: [rollout] }, [], {})).split(
      "\n",
    )[1];

  it.each<[string, RecordedRollout, string]>([
    [
      "as predicted",
      { ...forecast, observed: { leastReady: 3, morePods: 1, seconds: 38.4 } },
      "forecast at least 3 of 4 Pods ready, 1 more Pod at the peak; observed 3 of 4 Pods ready, 1 more Pod at the peak, 38 s; as predicted",
    ],
    [
      "late",
      { ...forecast, seconds: 40, observed: { leastReady: 2, seconds: 300 } },
      "forecast at least 3 of 4 Pods ready, 1 more Pod at the peak, about 40 s; observed 2 of 4 Pods ready, 5 min; difference −1 ready, +260 s",
    ],
    ["not completed", forecast, "observed not completed"],
  ])("%s", (_name, rollout, expected) => {
    expect(shown(rollout)).toContain("rollout  Deployment shop/web");
    expect(shown(rollout)).toContain(expected);
  });

  it("has them as JSON", () => {
    const observed = { leastReady: 2, seconds: 38.4 };
    const rollouts = [{ ...forecast, seconds: 40, observed }, forecast];
    expect(rolloutsJson({ rollouts })).toEqual([
      {
        ...{ object: key, replicas: 4 },
        forecast: { leastReady: 3, morePods: 1, waves: 2, seconds: 40 },
        observed: { leastReady: 2, morePods: null, seconds: 38.4 },
        error: { leastReady: -1, seconds: -2 },
      },
      {
        ...{ object: key, replicas: 4 },
        forecast: { leastReady: 3, morePods: 1, waves: 2, seconds: null },
        ...{ observed: null, error: null },
      },
    ]);
    expect(rolloutsJson({})).toEqual([]);
  });
});
