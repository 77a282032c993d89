import { expect, test } from "vitest";
import { parse } from "yaml";
import { deploymentLabel } from "../../../../src/model/annotations.ts";
import { garbageCollected } from "../../../../src/model/cluster/owned-objects.ts";
import { idOf, type KubeObject, nameOf } from "../../../../src/model/object.ts";
import type { OwnedObjects } from "../../../../src/plan/deletions/also-deleted.ts";
import { deletesDependents as findingsOf } from "../../../../src/preflight/rules/deletes-dependents.ts";
import { problemText, text } from "../../../support/plan/declare.ts";
import { appliedFrom, liveFrom } from "../../../support/plan/live.ts";
import { planOf, type Situation } from "../../../support/plan/plan-text.ts";

const key = (name: string) => `core:ConfigMap::shop/${name}`;
const config = (name: string, more = "") =>
  `app/${name}: {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}${more}}, data: {x: text}}\n`;

/** Creates a live object with these owners, by uid. */
function owned(
  name: string,
  owners: readonly string[],
  { kind = "ConfigMap", controller = false, labels = {}, managers = [] as readonly string[] } = {},
): KubeObject {
  const ownerReferences = owners.map((uid) => ({
    ...{ apiVersion: "v1", kind: "ConfigMap", name: uid, uid, controller },
  }));
  const managedFields = managers.map((manager) => ({
    ...{ manager, operation: "Apply", apiVersion: "v1", fieldsV1: { "f:data": {} } },
  }));
  const uid = `uid of ${name}`;
  const metadata = { name, namespace: "shop", uid, labels, ownerReferences, managedFields };
  return { apiVersion: "v1", kind, metadata };
}

const withOwners = (manifest: string, owners: readonly string[]) =>
  new Map(
    [...appliedFrom(manifest)].map(([at, object]): [string, KubeObject] => {
      const { metadata } = owned("any", owners);
      const { ownerReferences = null } = metadata;
      return [at, { ...object, metadata: { ...object.metadata, ownerReferences } }];
    }),
  );

function ownedObjects(
  objects: readonly KubeObject[],
  more: Partial<OwnedObjects> = {},
): OwnedObjects {
  return { objects, owners: new Set(), unread: new Map(), ...more };
}

/** Returns the problems of the plan, or its findings about other deleted objects. */
function report(situation: Situation): string {
  const plan = planOf(situation);
  if (!plan.ok) return problemText(plan.problems);
  return findingsOf({ plan: plan.value })
    .map(({ code, what }) => `${code}: ${what}`)
    .join("\n");
}

const parent = "uid of core:ConfigMap::shop/parent";
const before = config("parent") + config("other");
const declared = config("other");

test.each([
  ["its only owner", [["a", ["gone"]]], "a"],
  ["all of its owners", [["a", ["gone", "too"]]], "a"],
  [
    "one of its owners",
    [
      ["a", ["gone", "uid of b"]],
      ["b", []],
    ],
    "",
  ],
  [
    "the owner of its owner",
    [
      ["b", ["uid of a"]],
      ["a", ["gone"]],
    ],
    "a, b",
  ],
  ["an owner, although another owner exists", [["a", ["gone", "there"]]], ""],
  ["an owner, if no other owner is known", [["a", ["gone", "unknown"]]], "a"],
  ["nobody", [["a", []]], ""],
  [
    "owners that own each other",
    [
      ["a", ["uid of b"]],
      ["b", ["uid of a"]],
    ],
    "",
  ],
] as const)("the garbage collector deletes an object with %s", (_, objects, expected) => {
  const known = objects.map(([name, owners]) => owned(name, owners));
  const deleted = garbageCollected(new Set(["gone", "too"]), known, new Set(["there"]));
  const names = deleted.map((object) => idOf(object).name).toSorted();
  expect(names.join(", ")).toBe(expected);
});

test.each<[string, Situation, string]>([
  [
    "a declared object",
    { before, declared, live: withOwners(config("other"), [parent]) },
    `
    ConfigMap shop/parent: its deletion would also delete ConfigMap shop/other
      why: It is no longer declared. ConfigMap shop/other names it as its owner
      → Declare ConfigMap shop/parent again
        or remove it from metadata.ownerReferences of ConfigMap shop/other
    `,
  ],
  [
    "a kept object",
    {
      before: before + config("kept", ", annotations: {vs.axis-dev.io/keepOnDelete: k}"),
      declared,
      live: withOwners(config("kept", ", annotations: {vs.axis-dev.io/keepOnDelete: k}"), [parent]),
      users: new Map([["shop", []]]),
    },
    `
    ConfigMap shop/parent: its deletion would also delete ConfigMap shop/kept
      why: It is no longer declared. ConfigMap shop/kept names it as its owner
      → Declare ConfigMap shop/parent again
        or remove it from metadata.ownerReferences of ConfigMap shop/kept
    `,
  ],
  [
    "an object of another deployment",
    {
      before,
      declared,
      owned: ownedObjects([
        owned("theirs", [parent], {
          ...{ labels: { [deploymentLabel]: "theirs" }, managers: ["qvs-theirs-app"] },
        }),
      ]),
    },
    `
    ConfigMap shop/parent: its deletion would also delete ConfigMap shop/theirs
      why: It is no longer declared. ConfigMap shop/theirs names it as its owner
      → Declare ConfigMap shop/parent again
        or remove it from metadata.ownerReferences of ConfigMap shop/theirs
    `,
  ],
  [
    "an operator's object with the labels of another deployment",
    {
      before,
      declared,
      owned: ownedObjects([
        owned("copy", [parent], {
          ...{ labels: { [deploymentLabel]: "theirs" }, managers: ["operator"] },
        }),
      ]),
    },
    "deletes-dependents: ConfigMap shop/parent is deleted, which deletes ConfigMap shop/copy",
  ],
  [
    "a claim",
    {
      before,
      declared,
      owned: ownedObjects([owned("data", [parent], { kind: "PersistentVolumeClaim" })]),
    },
    `
    ConfigMap shop/parent: its deletion would also delete PersistentVolumeClaim shop/data
      why: It is no longer declared
      → Remove the owners from metadata.ownerReferences of PersistentVolumeClaim shop/data
        or delete it with --allow-delete=PersistentVolumeClaim
    `,
  ],
  [
    "a claim through its owned object",
    {
      before,
      declared,
      allowDelete: ["PersistentVolumeClaim"],
      owned: ownedObjects([
        owned("data", ["uid of child"], { kind: "PersistentVolumeClaim" }),
        owned("child", [parent]),
      ]),
    },
    `
    data-lost: ConfigMap shop/parent is deleted, which deletes PersistentVolumeClaim shop/data
    deletes-dependents: ConfigMap shop/parent is deleted, which deletes ConfigMap shop/child
    `,
  ],
  [
    "an object without consequences",
    { before, declared, owned: ownedObjects([owned("child", [parent])]) },
    "deletes-dependents: ConfigMap shop/parent is deleted, which deletes ConfigMap shop/child",
  ],
  [
    "an object of its own controller, as expected",
    {
      before,
      declared,
      owned: ownedObjects([owned("pod", [parent], { kind: "Pod", controller: true })]),
    },
    "",
  ],
  [
    "an object that is deleted anyway",
    { before: before + config("child"), declared, live: withOwners(config("child"), [parent]) },
    "",
  ],
  [
    "an object with another existing owner",
    {
      before,
      declared,
      live: withOwners(config("other"), [parent, "elsewhere"]),
      owned: ownedObjects([], { owners: new Set(["elsewhere"]) }),
    },
    "",
  ],
])("a deletion would also delete %s", (_, situation, expected) => {
  expect(report(situation)).toBe(text(expected));
});

const stateful = (spec = "", whenDeleted = "Delete", whenScaled = "Retain") => `
app/db:
  apiVersion: apps/v1
  kind: StatefulSet
  metadata: {name: db}
  spec:
    replicas: 2
    persistentVolumeClaimRetentionPolicy: {whenDeleted: ${whenDeleted}, whenScaled: ${whenScaled}}
    volumeClaimTemplates: [{metadata: {name: files}}]
    ${spec}
`;
const claims = ["files-db-0", "files-db-1", "files-db-7", "files-db-x", "files-other-0"].map(
  (name) => owned(name, [], { kind: "PersistentVolumeClaim" }),
);
const keeping = `kubectl patch statefulset.apps db -n shop --type=merge -p '{"spec":{"persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Retain"}}}'`;

test.each<[string, Partial<Situation>, string]>([
  [
    "is blocked, with a list of the PersistentVolumeClaims",
    { owned: ownedObjects(claims) },
    `
    StatefulSet shop/db: its deletion would also delete 3 objects
      objects: PersistentVolumeClaim shop/files-db-0, PersistentVolumeClaim shop/files-db-1, PersistentVolumeClaim shop/files-db-7
      why: It is no longer declared
      → Keep the data: first run ${keeping}
        or delete them with --allow-delete=PersistentVolumeClaim
    `,
  ],
  [
    "is blocked even if PersistentVolumeClaims can't be listed",
    { owned: ownedObjects([], { unread: new Map([["shop", "forbidden"]]) }) },
    `
    StatefulSet shop/db: its deletion would also delete 2 objects
      objects: PersistentVolumeClaim shop/files-db-0, PersistentVolumeClaim shop/files-db-1
      answer: forbidden
      why: It is no longer declared. qvs can't list PersistentVolumeClaims and knows these only by the names of their Pods
      → Keep the data: first run ${keeping}
        or delete them with --allow-delete=PersistentVolumeClaim
    `,
  ],
  [
    "is reported if a flag allows it",
    { owned: ownedObjects(claims), allowDelete: ["PersistentVolumeClaim"] },
    "data-lost: StatefulSet shop/db is deleted, which deletes PersistentVolumeClaim shop/files-db-0, PersistentVolumeClaim shop/files-db-1, PersistentVolumeClaim shop/files-db-7",
  ],
  ["isn't blocked without any", { owned: ownedObjects([]) }, ""],
  [
    "whose policy keeps them isn't blocked",
    { before: stateful("", "Retain") + config("other"), owned: ownedObjects(claims) },
    "",
  ],
])(
  "a StatefulSet with PersistentVolumeClaims that are deleted with it %s",
  (_, situation, expected) => {
    expect(report({ before: stateful() + config("other"), declared, ...situation })).toBe(
      text(expected),
    );
  },
);

test("a rollback keeps a StatefulSet whose PersistentVolumeClaims would be deleted", () => {
  const plan = planOf({
    before: stateful() + config("other"),
    declared,
    owned: ownedObjects(claims),
    onlyKeys: ["apps:StatefulSet::shop/db"],
    goesBack: true,
  });
  if (!plan.ok) throw new Error(problemText(plan.problems));
  expect(plan.value.deletions).toEqual([]);
  expect(plan.value.kept.map(({ id, detail }) => `${nameOf(id)}: ${detail}`)).toEqual([
    "StatefulSet shop/db: its PersistentVolumeClaims would be deleted with it; the next deployment checks it again",
  ]);
});

test.each([
  [
    "fewer",
    "replicas: 1",
    "Delete",
    "data-lost: StatefulSet shop/db gets fewer Pods, which deletes PersistentVolumeClaim shop/files-db-1",
  ],
  [
    "none",
    "replicas: 0",
    "Delete",
    "data-lost: StatefulSet shop/db gets fewer Pods, which deletes PersistentVolumeClaim shop/files-db-0, PersistentVolumeClaim shop/files-db-1",
  ],
  [
    "later ones",
    "ordinals: {start: 1}",
    "Delete",
    "data-lost: StatefulSet shop/db gets fewer Pods, which deletes PersistentVolumeClaim shop/files-db-0",
  ],
  ["more", "replicas: 3", "Delete", ""],
  ["fewer replicas, whose claims stay", "replicas: 1", "Retain", ""],
])("a StatefulSet that gets %s Pods", (_, spec, whenScaled, expected) => {
  const spaced = (more: string) =>
    parse(stateful("", "Retain", whenScaled).replace("replicas: 2", more));
  const asText = (more: string) => JSON.stringify(spaced(more));
  const next = spec.startsWith("replicas") ? spec : `replicas: 2\n    ${spec}`;
  expect(report({ before: asText("replicas: 2"), declared: asText(next) })).toBe(expected);
});

test("objects that are also deleted are part of the digest", () => {
  const situation = { before, declared };
  const digests = [[], [owned("child", [parent])]].map((objects) => {
    const plan = planOf({ ...situation, owned: ownedObjects(objects) });
    return plan.ok ? plan.value.digest : "";
  });
  expect(digests[0]).not.toBe(digests[1]);
  expect(digests[1]).toContain(key("child"));
});

test("qvs knows the live objects of kinds that it already lists", () => {
  const live = liveFrom(
    `- {apiVersion: v1, kind: ConfigMap, metadata: {name: child, namespace: shop, uid: c, ownerReferences: [{uid: "${parent}"}]}}`,
  );
  expect(report({ before, declared, live })).toBe(
    "deletes-dependents: ConfigMap shop/parent is deleted, which deletes ConfigMap shop/child",
  );
});
