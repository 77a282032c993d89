import { expect, test } from "vitest";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { useShopAction } from "../../support/shop/shop-action.ts";

/**
 * Tests the life of the issue about drift, with the Action on a schedule, a real control plane and
 * a fake GitHub.
 */
const cluster = useCluster();
const action = useShopAction(cluster);
const { github } = action;

test("one issue reports drift, is updated, closed and opened again", async () => {
  const namespace = await cluster.namespace("drift");
  const shop = action.shopIn(namespace);
  const { folder } = shop;
  const main = shop.commitParams({ version: "1", greeting: "hello" });
  const { issues } = github().state;
  const kubectl = (...args: readonly string[]) => cluster.kubectl("-n", namespace, ...args);
  const greet = (greeting: string) => {
    const data = JSON.stringify({ data: { greeting } });
    return kubectl("patch", "configmap", "settings", "--field-manager=kubectl-edit", "-p", data);
  };
  const repository = { full_name: "acme/shop", default_branch: "main" };
  const look = async (more: Readonly<Record<string, string>> = {}) => {
    const before = github().requests.length;
    const inputs = { token: "token", ...more };
    const event = { repository };
    const result = await action.act({ folder, name: "schedule", event, commit: main, inputs });
    const asked = github().requests.slice(before);
    const written = asked.filter((each) => /^(POST|PATCH|DELETE) .repos/.test(each));
    return { ...result, written: written.map((each) => each.split(" ")[0]) };
  };

  const first = await action.push(shop, "0".repeat(40), main, { "approved-plan": "off" });
  expect(first.exitCode, first.log).toBeUndefined();

  const clean = await look();
  expect(clean.exitCode, clean.log).toBeUndefined();
  expect(clean.outputs).toContain("false");
  expect(clean.written).toEqual([]);

  await greet("<img> @acme/all `x` | ::error::no \u202e");
  const found = await look();
  expect(found.exitCode, found.log).toBeUndefined();
  expect(found.written).toEqual(["POST"]);
  const [issue] = issues;
  expect(issue?.title).toBe("Drift: shop");
  const text = issue?.body
    .replaceAll(namespace, "demo")
    .replaceAll(/since [\dT:Z-]+/g, "since TIME");
  expect(text).toMatchSnapshot();
  expect(found.summary).toContain("kubectl-edit");

  expect((await look()).written).toEqual([]);
  issues.push({ ...forged(issue?.body ?? ""), number: 1, author: "mallory" });
  issues.push({
    ...forged(issue?.body ?? ""),
    number: 2,
    author: issue?.author ?? "",
    isPull: true,
  });
  await kubectl("delete", "deployment", "web");
  expect((await look()).written).toEqual(["PATCH"]);
  expect(issue?.body).toContain("1 changed, 1 missing");

  const refused = await action.act({
    folder,
    name: "pull_request",
    event: {},
    commit: main,
    inputs: { token: "token", mode: "drift" },
  });
  expect(refused.exitCode).toBe(1);

  const corrected = await look({ reconcile: "true" });
  expect(corrected.exitCode, corrected.log).toBeUndefined();
  expect(corrected.written).toEqual(["PATCH"]);
  expect(issue).toMatchObject({ state: "closed", reason: "completed" });
  expect(issue?.body).toContain("Corrected: shop release 1 corrected: 1 created, 1 updated");
  expect((await look()).written).toEqual([]);

  await greet("again");
  await look();
  expect(issue).toMatchObject({ state: "open", reason: "reopened" });
  expect(issues).toHaveLength(3);
  expect(issues.slice(1).map(({ state }) => state)).toEqual(["open", "open"]);
});

function forged(body: string) {
  return { title: "Drift: shop", body, state: "open", reason: null } as const;
}
