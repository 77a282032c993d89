import { expect, test } from "vitest";
import type { DeletedContents } from "../../../../src/model/cluster/namespaces-and-crds.ts";
import { keyOf } from "../../../../src/model/object.ts";
import { deletesOutsideObjects } from "../../../../src/preflight/rules/deletes-outside-objects.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";
import { findingsText } from "./run-rule.ts";

const toolsKey = "core:Namespace::tools";

const inTools = (kind: string, name: string, manager: string) => {
  const id = { group: "", kind, namespace: "tools", name };
  return { key: keyOf(id), id, manager };
};

test.each<[string, DeletedContents, string]>([
  ["no outside objects", { objects: [], unread: [] }, ""],
  [
    "outside objects",
    {
      objects: [
        ...["a", "b", "c", "d"].map((name) => inTools("ConfigMap", name, '"kubectl"')),
        inTools("Secret", "login", "Helm release tool"),
        inTools("Pod", "p", ""),
      ],
      unread: [],
    },
    `warning: Namespace tools is deleted together with 6 objects outside this deployment
  ConfigMap (4): a, b, c and 1 more; Pod (1): p; Secret (1): login. Managed by "kubectl" (4), Helm release tool (1), an unknown manager (1)`,
  ],
  [
    "kinds that can't be listed",
    {
      objects: [],
      unread: [
        { kind: "Pod", why: "pods is forbidden" },
        { kind: "Secret", why: "secrets is forbidden" },
      ],
    },
    `warning: Namespace tools is deleted, but qvs can't list all objects in it
  Objects of these kinds outside this deployment might be deleted with it: Pod, Secret. pods is forbidden; the same or similar for 1 more`,
  ],
])("a deleted Namespace also deletes %s", (_, holds, expected) => {
  const before = "appSetup/tools: {apiVersion: v1, kind: Namespace, metadata: {name: tools}}\n";
  const holdings = new Map([[toolsKey, holds]]);
  const allowDelete = ["Namespace", "everything"];
  const plan = requirePlan({ before, declared: "", allowDelete, holdings });
  expect(findingsText(deletesOutsideObjects, plan, {})).toBe(expected);
});
