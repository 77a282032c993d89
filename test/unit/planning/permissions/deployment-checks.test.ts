import { expect, test } from "vitest";
import type { DeploymentCheck } from "../../../../src/model/deployments/deployment-checks.ts";
import type { PermissionCommand } from "../../../../src/planning/permissions/permission.ts";
import { requiredPermissions } from "../../../../src/planning/permissions/required-permissions.ts";

const timing = { intervalMs: 1000, holdMs: 0, timeoutMs: 60_000 };
const checks: readonly DeploymentCheck[] = [
  {
    ...{ type: "http", name: "web", status: [], ...timing },
    target: { type: "service", service: "web", port: "tls", scheme: "https", path: "/" },
    headers: [
      { name: "X-Token", secret: "keys", key: "token" },
      { name: "Accept", value: "text/plain" },
    ],
  },
  {
    ...{ type: "prometheus", name: "errors", query: "up", max: 1, headers: [], ...timing },
    target: { type: "service", service: "metrics", port: "9090", scheme: "http", path: "/" },
  },
  { type: "job", name: "smoke", timeoutMs: 60_000, spec: {} },
];

/**
 * Returns the permissions that the checks add, one per line. Optional ones end with a question
 * mark.
 */
function added(command: PermissionCommand): readonly string[] {
  const request = {
    ...{ command, manifests: [], recorded: [], served: [], byKind: false },
    deployment: { name: "shop", namespace: "shop" },
  };
  const list = (of: readonly DeploymentCheck[]) => {
    const found = requiredPermissions({ ...request, checks: of });
    if (!found.ok) throw new Error(JSON.stringify(found.problems));
    return found.value.rights.map(
      ({ verb, resource, name, without }) =>
        `${verb} ${resource}${name === undefined ? "" : ` ${name}`}${without === undefined ? "" : "?"}`,
    );
  };
  const without = list([]);
  return list(checks).filter((right) => !without.includes(right));
}

test("a deployment and a rollback need exactly the requests of their checks", () => {
  const expected = [
    "get services/proxy https:web:tls",
    "get services/proxy metrics:9090",
    "get secrets keys",
    "create jobs",
    "get jobs",
    "watch jobs",
    "delete jobs",
    "list jobs?",
    "list events?",
    "list pods?",
    "get pods/log?",
  ];
  expect(added("deploy").toSorted()).toEqual(expected.toSorted());
  expect(added("rollback").toSorted()).toEqual(expected.toSorted());
});

test("a preview only dry-runs the Jobs, and other commands run no checks", () => {
  expect(added("preview")).toEqual(["create jobs?", "create pods?"]);
  expect(added("drift")).toEqual([]);
  expect(added("reconcile")).toEqual([]);
  expect(added("delete")).toEqual(["list jobs?", "delete jobs?"]);
});
