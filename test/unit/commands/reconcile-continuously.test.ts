import { expect, test } from "vitest";
import { watchableNamespaces } from "../../../src/commands/reconcile-continuously.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import { catchProblems } from "../../../src/model/problems/errors.ts";
import { fakeCluster, refused } from "../../support/fake-cluster.ts";

/** Namespaces with the allowed verbs for their Secrets; `all` is the whole cluster. */
type Allowed = Readonly<Record<string, readonly string[]>>;

function clusterWith(allowed: Allowed, mayListNamespaces: boolean) {
  const names = Object.keys(allowed).filter((name) => name !== "all");
  const cluster = fakeCluster(
    names.map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })),
  );
  const denied = refused("forbidden", 403, "namespaces is forbidden");
  return {
    ...cluster,
    listMetadata: async (...query: Parameters<typeof cluster.listMetadata>) =>
      mayListNamespaces ? cluster.listMetadata(...query) : denied,
    create: async (review: KubeObject) => {
      const { namespace, resourceAttributes } = review.spec as {
        namespace?: string;
        resourceAttributes?: { verb: string };
      };
      const verbs = allowed[namespace ?? "all"] ?? [];
      const rule = { apiGroups: [""], resources: ["secrets"], verbs };
      const status =
        resourceAttributes === undefined
          ? { incomplete: false, resourceRules: [rule] }
          : { allowed: verbs.includes(resourceAttributes.verb) };
      return { ok: true as const, value: { ...review, status } };
    },
  };
}

const both = ["list", "watch"];
const cases: readonly (readonly [string, Allowed, boolean, unknown])[] = [
  ["all at once", { all: both, shop: [] }, true, undefined],
  [
    "the watchable ones",
    { all: ["list"], shop: both, bank: ["list"], depot: both },
    true,
    { watched: ["shop", "depot"], skipped: ["bank"] },
  ],
  [
    "none",
    { all: [], shop: ["list"] },
    true,
    "This identity isn't allowed to list and watch secrets in all namespaces or in any single namespace",
  ],
  [
    "unknown namespaces",
    { all: ["list"], shop: both },
    false,
    "This identity isn't allowed to watch secrets in all namespaces, and it isn't allowed to list namespaces",
  ],
];

test.each(cases)(
  "the controller can watch releases in: %s",
  async (_, allowed, mayList, expected) => {
    const found = await catchProblems(() => watchableNamespaces(clusterWith(allowed, mayList)));
    expect(found.ok ? found.value : found.problems.map(({ why }) => why).join()).toEqual(expected);
  },
);
