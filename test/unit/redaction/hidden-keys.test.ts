import { expect, test } from "vitest";
import { emptyHistory } from "../../../src/model/deployments/release-history.ts";
import { attribute } from "../../../src/plan/attribution/attribute.ts";
import { hideKeys } from "../../../src/redaction/hidden-keys.ts";
import { redactPair } from "../../../src/redaction/redact.ts";
import { live, planned, shopPlan } from "../../support/shop/shop-report.ts";

const hides = ["hunter2secret", "hunter3secret", "pw12", "data"];

const map = (data: Record<string, string>) => ({ apiVersion: "v1", kind: "ConfigMap", data });

test("the name of a field that contains a secret is hidden", () => {
  const shown = redactPair(
    map({ a: "1", hunter2secret: "x", "db-hunter3secret.conf": "y" }),
    map({ a: "2", "db-hunter3secret.conf": "z", hunter3secret: "x" }),
    { hides },
  );
  expect(shown.before).toEqual(map({ a: "1", "(removed)": "x", "(hidden)": "y" }));
  expect(shown.after).toEqual(map({ a: "2", "(hidden)": "z", "(added)": "x" }));
});

test("several hidden names of one object stay apart", () => {
  const keys = { hunter2secret: "a", hunter3secret: "b", "(hidden)": "c" };
  expect(hideKeys(hides, keys)).toEqual({ "(hidden)": "c", "(hidden) 2": "a", "(hidden) 3": "b" });
});

test("the keys of a Secret and of its labels are hidden", () => {
  const secret = {
    kind: "Secret",
    metadata: { name: "s", labels: { hunter2secret: "yes", app: "web" } },
    stringData: { hunter2secret: "x", token: "y" },
  };
  expect(redactPair(undefined, secret, { hides }).after).toEqual({
    kind: "Secret",
    metadata: { name: "s", labels: { "(added)": "(added)", app: "web" } },
    data: { "(added)": "(added)", token: "(added)" },
  });
});

test("ordinary names and parts of words aren't hidden", () => {
  const object = { data: { pw123: "a", "my-pw12": "b", "a.pw12": "c" }, metadata: {} };
  expect(hideKeys(hides, object)).toEqual({
    data: { pw123: "a", "my-pw12": "b", "(hidden)": "c" },
    metadata: {},
  });
});

test("the source of a field with a hidden name is known", () => {
  const object = (value: string) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", namespace: "shop" },
    data: { hunter2secret: value },
  });
  const change = {
    ...planned("app", "a", object("2"), live(object("1"))),
    action: "update" as const,
  };
  const plan = shopPlan({ changes: [change], deletions: [], hides });
  const { changes } = attribute(plan, { history: emptyHistory });
  expect(changes.get(change.key)?.fields).toMatchObject([
    { path: 'data["(hidden)"]', source: "adoption", before: "1", after: "2" },
  ]);
});
