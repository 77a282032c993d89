import { expect, test } from "vitest";
import { parse } from "yaml";
import type { JsonObject } from "../../../../src/model/json.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { Change } from "../../../../src/model/plan/plan.ts";
import { readOwners } from "../../../../src/planning/facts/read-facts.ts";
import { ownerMissing } from "../../../../src/preflight/rules/owner-missing.ts";
import { fakeCluster, refused } from "../../../support/fake-cluster.ts";
import { around, changeOf } from "../rollout-plan.ts";

const there = [
  "{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs, namespace: shop, uid: '1'}}",
  "{apiVersion: v1, kind: ConfigMap, metadata: {name: elsewhere, namespace: other, uid: '2'}}",
].map((each) => parse(each) as KubeObject);

const ownerOf = (name: string, uid: string) =>
  `{apiVersion: v1, kind: ConfigMap, name: ${name}, uid: '${uid}'}`;
const owned = (...owners: readonly string[]) =>
  changeOf(
    parse(
      `{apiVersion: v1, kind: Service, metadata: {name: web, ownerReferences: [${owners.join(", ")}]}}`,
    ) as JsonObject,
  );

async function findings(
  change: Change,
  { deleted, read }: { deleted?: KubeObject; read?: "refused" } = {},
): Promise<string> {
  const plan = { deployment: "shop", namespace: "shop", changes: [change], kept: [], notices: [] };
  const deletions = deleted === undefined ? [] : [{ live: deleted }];
  const whole = { ...plan, digest: "", deletions } as unknown as Parameters<
    typeof ownerMissing
  >[0]["plan"];
  const no = refused("forbidden", 403, "no");
  const cluster = fakeCluster(there);
  const server = read === "refused" ? { ...cluster, read: async () => no } : cluster;
  const facts = { ...around(), owners: await readOwners(server, whole, 2) };
  const releases = { declared: new Set<string>() };
  return ownerMissing({ plan: whole, facts, releases, placeOf: () => undefined })
    .map(({ severity, what, why }) => `${severity}: ${what}\n  ${why}`)
    .join("\n");
}

const isCollected = (name: string) =>
  `error: Service shop/web would be deleted by the garbage collector\n  It names ConfigMap ${name} as its owner, but`;

test.each([
  ["an existing owner", owned(ownerOf("theirs", "1")), ""],
  [
    "a missing owner",
    owned(ownerOf("gone", "1")),
    `${isCollected("gone")} no object in the same namespace has that name`,
  ],
  [
    "an owner in another namespace",
    owned(ownerOf("elsewhere", "2")),
    `${isCollected("elsewhere")} no object in the same namespace has that name`,
  ],
  [
    "a recreated owner",
    owned(ownerOf("theirs", "0")),
    `${isCollected("theirs")} the existing object has the UID 1, not 0`,
  ],
  [
    "an existing owner and a missing one",
    owned(ownerOf("theirs", "1"), ownerOf("gone", "9")),
    "warning: Service shop/web: its owner reference to ConfigMap gone has no effect\n  It names ConfigMap gone as its owner, but no object in the same namespace has that name",
  ],
  ["nobody", owned(), ""],
])("the manifest of an object names as its owner %s", async (_, change, expected) => {
  expect(await findings(change)).toBe(expected);
});

test("an owner that this deployment deletes is reported", async () => {
  expect(await findings(owned(ownerOf("theirs", "1")), { deleted: there[0] as KubeObject })).toBe(
    `${isCollected("theirs")} this deployment deletes it`,
  );
});

test("an unchanged object isn't checked for its owners", async () => {
  expect(await findings({ ...owned(ownerOf("gone", "1")), action: "unchanged" })).toBe("");
});

test("objects that can't be read aren't reported", async () => {
  expect(await findings(owned(ownerOf("gone", "1")), { read: "refused" })).toBe("");
});
