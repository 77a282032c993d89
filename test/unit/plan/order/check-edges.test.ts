import { expect, test } from "vitest";
import type { DeploymentCheck } from "../../../../src/model/deployments/deployment-checks.ts";
import { linkObjects } from "../../../../src/plan/order/edges.ts";
import { declare, shown, text } from "../../../support/plan/declare.ts";

const polled = { headers: [], intervalMs: 1000, holdMs: 0, timeoutMs: 60_000 };

function requests(name: string, service: string, secret?: string): DeploymentCheck {
  const headers = secret === undefined ? [] : [{ name: "X-Key", secret, key: "key" }];
  const target = { type: "service", service, port: "80", scheme: "http", path: "/" } as const;
  return { ...polled, type: "http", name, status: [], target, headers };
}

function address(name: string): DeploymentCheck {
  const target = { type: "address", url: "https://db.example" } as const;
  return { ...polled, type: "http", name, status: [], target };
}

function job(name: string, podSpec: object): DeploymentCheck {
  const spec = JSON.parse(JSON.stringify({ template: { spec: podSpec } }));
  return { type: "job", name, timeoutMs: 60_000, spec };
}

/** Compares every object and check with its dependencies, as an indented tree, or the problems. */
function check(
  checks: readonly DeploymentCheck[] | undefined,
  yaml: string,
  expected: string,
): void {
  const objects = declare(yaml);
  const linked = linkObjects(objects, () => false, { namespace: "shop", checks });
  const tree = shown(linked, ({ graph, missing }) =>
    [
      ...[...graph]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([key, edges]) => [key, ...edges.map(({ on, reason }) => `  ${on}: ${reason}`)]),
      ...missing.map(({ what, fix, otherwise = [] }) => [what, fix, ...otherwise].join("; ")),
    ].join("\n"),
  );
  expect(tree).toBe(text(expected));
}

const waits = (name: string, check: string) =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, annotations: {vs.axis-dev.io/dependsOn: ${check}}}}`;

test("an object waits for a check outside of the cluster", () => {
  check(
    [address("db")],
    `app/a: ${waits("a", "check/db")}`,
    `
    core:ConfigMap::shop/a
      core:Check::shop/db: annotation vs.axis-dev.io/dependsOn
    `,
  );
});

test("an object also waits for the needs of its check: a Service, its workloads, and the maker of a header's Secret", () => {
  check(
    [requests("db", "db", "keys")],
    `
    app/a: ${waits("a", '"check/db"')}
    app/service: {apiVersion: v1, kind: Service, metadata: {name: db}, spec: {selector: {app: db}}}
    app/db:
      apiVersion: apps/v1
      kind: StatefulSet
      metadata: {name: db}
      spec: {template: {metadata: {labels: {app: db}}, spec: {containers: []}}}
    app/keys: {apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: keys}}
    `,
    `
    core:Check::shop/db
      apps:StatefulSet::shop/db: the Pods of this answer its requests
      core:Service::shop/db: it sends its requests to this Service
      external-secrets.io:ExternalSecret::shop/keys: its headers contain a value of the Secret keys, which this creates
    core:ConfigMap::shop/a
      apps:StatefulSet::shop/db: Check shop/db runs before it, and needs this
      core:Check::shop/db: annotation vs.axis-dev.io/dependsOn
      core:Service::shop/db: Check shop/db runs before it, and needs this
      external-secrets.io:ExternalSecret::shop/keys: Check shop/db runs before it, and needs this
    `,
  );
});

test("the Job of a check needs its namespace, its ServiceAccount and what its Pods read", () => {
  check(
    [
      job("db", {
        serviceAccountName: "tester",
        containers: [],
        volumes: [{ configMap: { name: "b" } }],
      }),
    ],
    `
    app/ns: {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
    app/a: ${waits("a", "check/db").replace("metadata: {", "metadata: {namespace: other, ")}
    app/b: {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}
    app/tester: {apiVersion: v1, kind: ServiceAccount, metadata: {name: tester}}
    `,
    `
    core:Check::shop/db
      core:ConfigMap::shop/b: its Pods use this ConfigMap
      core:Namespace::shop: it is in this namespace
      core:ServiceAccount::shop/tester: its Pods use this ServiceAccount
    core:ConfigMap::other/a
      core:Check::shop/db: annotation vs.axis-dev.io/dependsOn
      core:ConfigMap::shop/b: Check shop/db runs before it, and needs this
      core:Namespace::shop: Check shop/db runs before it, and needs this
      core:ServiceAccount::shop/tester: Check shop/db runs before it, and needs this
    core:ConfigMap::shop/b
      core:Namespace::shop: it is in this namespace
    core:ServiceAccount::shop/tester
      core:Namespace::shop: it is in this namespace
    `,
  );
});

test("an unknown check is an error with the check that was probably meant", () => {
  check(
    [address("database")],
    `app/a: ${waits("a", "check/databse")}`,
    `ConfigMap shop/a depends on check/databse, which doesn't exist; Did you mean "check/database"?; declare the check; correct the annotation vs.axis-dev.io/dependsOn`,
  );
});

test("a misspelled form of a check is an error with the right form", () => {
  check(
    [address("db")],
    `app/a: ${waits("a", '"checks:db"')}`,
    `
    ConfigMap shop/a: "checks:db" in the annotation vs.axis-dev.io/dependsOn isn't valid
      → Write each entry as <apiGroup>:<Kind>::<namespace>/<name>, with "core" for the core group, and separate entries by commas
        or write check/<name> for a check
    `,
  );
});

test("a check that needs the object itself is a cycle", () => {
  check(
    [requests("web", "web")],
    `
    app/web:
      apiVersion: v1
      kind: Service
      metadata: {name: web, annotations: {vs.axis-dev.io/dependsOn: check/web}}
    `,
    `
    Service shop/web depends on itself
      cycle: core:Service::shop/web → core:Service::shop/web
      dependency: Check shop/web runs before it, and needs this
      → Remove one of these dependencies from its annotation or reference
    `,
  );
});

test("a check before an object of appSetup can't need an object of app", () => {
  check(
    [requests("db", "db")],
    `
    appSetup/a: ${waits("a", "check/db")}
    app/db: {apiVersion: v1, kind: Service, metadata: {name: db}}
    `,
    `
    ConfigMap shop/a of appSetup depends on Service shop/db of app
      dependency: Check shop/db runs before it, and needs this
      why: qvs deploys all of appSetup before app
      → Move the resource db to appSetup
        or move the resource a to app
    `,
  );
});

test("a run without checks, such as a drift correction, doesn't wait for them", () => {
  check(undefined, `app/a: ${waits("a", "check/db")}`, "");
});
