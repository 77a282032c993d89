import { expect, test } from "vitest";
import { createReleaseHistory } from "../../../src/model/deployments/release-history.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import type { Change } from "../../../src/model/plan/plan.ts";
import type { Manifest } from "../../../src/model/sources/compilation.ts";
import { attribute } from "../../../src/plan/attribution/attribute.ts";
import { hideLiveSecrets } from "../../../src/planning/plan-deployment.ts";
import { redactedChange } from "../../../src/redaction/redacted-change.ts";
import type { RecordedReleases } from "../../../src/releases/store.ts";
import { planned, shopCompilation, shopPlan, shopRelease } from "../../support/shop/shop-report.ts";

const web = (spec: KubeObject["spec"], ignored?: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "web",
    namespace: "shop",
    ...(ignored === undefined ? {} : { annotations: { "vs.axis-dev.io/ignore-changes": ignored } }),
  },
  spec: spec ?? {},
});

const args = (...given: readonly string[]) => web({ args: [...given] });

interface Situation {
  readonly manifest: KubeObject;
  readonly live: KubeObject;
  /** Fields of the planned change that differ from the default. */
  readonly change?: Partial<Change>;
}

/** Hides values of a previous release that had a param with a secret name. */
function shownChange({ manifest, live, change }: Situation) {
  const previous = shopRelease([]);
  const inputConfig = { ...previous.inputConfig, params: { dbPassword: "hunter2-former" } };
  const history = createReleaseHistory([{ ...previous, inputConfig }]);
  const resources: readonly Manifest[] = [
    { type: "manifest", stage: "app", id: "web", object: manifest, dependsOn: [] },
  ];
  const whole = {
    ...planned("app", "web", manifest, live),
    action: "update" as const,
    predicted: manifest,
    ...change,
  };
  const { plan } = hideLiveSecrets(
    {
      executable: false,
      plan: { ...shopPlan(), changes: [whole] },
      recorded: { ...history, unreadable: [], next: 2 } as unknown as RecordedReleases,
      blockers: [],
      findings: [],
    },
    resources,
    true,
  );
  const [shown] = plan?.changes ?? [];
  if (plan === undefined || shown === undefined) throw new Error("it is planned");
  const head = { ...shopCompilation("1", "0", "info"), resources };
  const ignored = attribute(plan, { head, history }).changes.get(shown.key)?.ignored;
  return { diff: JSON.stringify(redactedChange(shown, [])), ignored: ignored ?? [] };
}

test("no preview shows the previous value of a secret param, in any field", () => {
  const situation = { manifest: args("--db=hunter2-now"), live: args("--db=hunter2-former") };
  const { diff } = shownChange({ ...situation, live: args("--size=1", "--db=hunter2-former") });
  expect(diff).not.toContain("hunter2-former");
  expect(diff).toContain('["--size=1","(hidden)"]');
});

test("values in the manifest are shown, so that the preview confirms no guess", () => {
  const manifest = args("hunter2-former", "--size=2");
  const { diff } = shownChange({ manifest, live: args("--size=1", "--db=other") });
  expect(diff).toContain('["hunter2-former","--size=2"]');
});

test("ignored fields of an object are shown also if other fields are hidden", () => {
  const manifest = web({ size: 3, db: "now" }, "spec.size");
  const live = web({ size: 2, db: "hunter2-former" });
  const { diff, ignored } = shownChange({
    manifest,
    live,
    change: { desired: web({ size: 2, db: "now" }, "spec.size") },
  });
  expect(ignored).toEqual([{ path: "spec.size", live: 2, declared: 3 }]);
  expect(diff).not.toContain("hunter2-former");
});

/** A Pod with these variables, and the field manager that wrote the password. */
function withVariables(variables: Readonly<Record<string, string>>, writer?: JsonObject) {
  const env = Object.entries(variables).map(([name, value]) => ({ name, value }));
  const pod = web({ containers: [{ name: "web", env }] });
  if (writer === undefined) return pod;
  const managedFields = [{ ...writer, fieldsV1: passwordField }];
  return { ...pod, metadata: { ...pod.metadata, managedFields } };
}

const passwordField = {
  "f:spec": {
    "f:containers": { 'k:{"name":"web"}': { "f:env": { 'k:{"name":"DB_PASSWORD"}': {} } } },
  },
};

const ownManager = "qvs-shop-staging-app";

test.each([
  ["of another field manager is hidden", "kubectl-set", "Update", "(hidden)"],
  ["that an admission webhook wrote is hidden", ownManager, "Update", "(hidden)"],
  ["of this deployment is shown", ownManager, "Apply", "hunter2-live"],
])("a live secret %s", (_, manager, operation, shown) => {
  const variables = { DB_PASSWORD: "hunter2-live", SIZE: "2" };
  const live = withVariables(variables, { manager, operation });
  const manifest = withVariables({ DB_PASSWORD: "set-later", SIZE: "3" });
  const { diff } = shownChange({ manifest, live });
  expect(diff).toContain(`{"name":"DB_PASSWORD","value":"${shown}"},{"name":"SIZE","value":"2"}`);
  expect(diff).toContain('{"name":"DB_PASSWORD","value":"set-later"}');
  const unchanged = { manifest: live, live, change: { predicted: live } };
  expect(shownChange(unchanged).diff).toContain("hunter2-live");
});

test("an ignored field doesn't show a secret of another field manager", () => {
  const manifest = web({ password: "set-later", size: 3 }, "spec.password, spec.size");
  const live = web({ password: "hunter2-live", size: 2 });
  const { diff, ignored } = shownChange({ manifest, live, change: { desired: manifest } });
  expect(ignored).toEqual([
    { path: "spec.password", live: "(hidden)", declared: "set-later" },
    { path: "spec.size", live: 2, declared: 3 },
  ]);
  expect(diff).not.toContain("hunter2-live");
});

test("a value that is kept from the live object isn't treated as declared", () => {
  const manifest = web({ size: 3, db: "now" }, "spec.db");
  const sent = web({ size: 3, db: "hunter2-former" }, "spec.db");
  const keeps = [
    [
      { type: "field", name: "spec" },
      { type: "field", name: "db" },
    ],
  ] as const;
  for (const predicted of [sent, undefined]) {
    const { diff, ignored } = shownChange({
      manifest,
      live: web({ size: 2, db: "hunter2-former" }),
      change: { desired: sent, predicted, keeps },
    });
    expect(ignored).toEqual([{ path: "spec.db", live: "(hidden)", declared: "now" }]);
    expect(diff).not.toContain("hunter2-former");
    expect(diff).toContain('"size":3');
  }
});
