import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { idOf, type KubeObject, keyOf } from "../../../../src/model/object.ts";
import type { Change, Plan } from "../../../../src/model/plan/plan.ts";
import type { PreflightRule } from "../../../../src/preflight/rule.ts";
import { existingClaimsUnchanged } from "../../../../src/preflight/rules/existing-claims-unchanged.ts";
import { recreated } from "../../../../src/preflight/rules/recreated.ts";
import { startsEmpty } from "../../../../src/preflight/rules/starts-empty.ts";
import { around, creationOf, known } from "../rollout-plan.ts";

/** Options of a StatefulSet whose data might be lost or reused when it is recreated. */

interface SetOptions {
  readonly name?: string;
  readonly namespace?: string;
  readonly image?: string;
  readonly replicas?: number;
  readonly templates?: string;
  readonly volumes?: string;
  readonly policy?: string;
}

const ofSize = (size: string, name = "data", more = "") =>
  `{metadata: {name: ${name}}, spec: {accessModes: [ReadWriteOnce], ${more} resources: {requests: {storage: ${size}}}}}`;

function set({
  name = "db",
  namespace = "shop",
  image = "acme/db:1",
  replicas = 1,
  templates = ofSize("1Gi"),
  volumes = "",
  policy = "Retain",
}: SetOptions = {}): KubeObject {
  return parse(`
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: ${name}, namespace: ${namespace}, annotations: {vs.axis-dev.io/replace: "true"}}
spec:
  replicas: ${replicas}
  persistentVolumeClaimRetentionPolicy: {whenDeleted: ${policy}}
  template: {spec: {containers: [{name: db, image: "${image}"}], volumes: [${volumes}]}}
  volumeClaimTemplates: [${templates}]
`);
}

function claim(name: string, more = "", size = "1Gi"): KubeObject {
  return parse(
    `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: ${name}, namespace: shop}, spec: {accessModes: [ReadWriteOnce], storageClassName: standard, volumeMode: Filesystem, ${more} resources: {requests: {storage: ${size}}}}}`,
  );
}

function created(desired: KubeObject): Change {
  const id = idOf(desired);
  return { ...creationOf({}), key: keyOf(id), id, desired, predicted: desired };
}

function replaced(live: KubeObject, desired: KubeObject): Change {
  const steps = [{ type: "recreate", fields: ["spec"] }, { type: "apply" }] as const;
  return { ...created(desired), action: "replace", live, steps };
}

function deletionOf(live: KubeObject): Plan["deletions"][number] {
  const id = idOf(live);
  const { apiVersion } = live;
  return { key: keyOf(id), id, stage: "app", apiVersion, uid: "old", live, after: [] };
}

interface Surrounded {
  readonly claims?: readonly KubeObject[] | "unreadable";
  readonly deleted?: readonly KubeObject[];
}

function findings(
  rule: PreflightRule,
  changes: readonly Change[],
  { claims = [claim("data-db-0")], deleted = [] }: Surrounded = {},
) {
  const plan: Plan = {
    ...{ deployment: "shop", namespace: "shop", changes, kept: [], notices: [], digest: "" },
    deletions: deleted.map(deletionOf),
  };
  const read =
    claims === "unreadable" ? ({ known: false, why: "forbidden" } as const) : known(claims);
  return rule({
    plan,
    facts: { ...around(), claims: read },
    releases: { declared: new Set() },
    placeOf: () => undefined,
  }).map(({ severity, what, why }) => `${severity}: ${what}\n  ${why}`);
}

const onlyNewClaims =
  "A claim template only creates missing claims and never changes existing ones";

const keeps = (
  what: string,
  names = "PersistentVolumeClaim shop/data-db-0",
  claims = "an existing claim keeps",
) => [`warning: StatefulSet shop/db: ${claims} ${what}\n  Its Pods use ${names}. ${onlyNewClaims}`];

describe("existing PersistentVolumeClaims keep their spec when the StatefulSet is", () => {
  test.each([
    ["unchanged", ofSize("1Gi"), []],
    ["with the same size in other units", ofSize("1024Mi"), []],
    ["with another size", ofSize("10Gi"), keeps("storage 1Gi instead of 10Gi")],
    [
      "with another class",
      ofSize("1Gi", "data", "storageClassName: fast,"),
      keeps("storageClassName standard instead of fast"),
    ],
    ["with the default class", ofSize("1Gi", "data", "storageClassName: standard,"), []],
    [
      "with several differences",
      ofSize("10Gi", "data", "volumeMode: Block,").replace("ReadWriteOnce", "ReadWriteMany"),
      keeps(
        "storage 1Gi instead of 10Gi, accessModes ReadWriteOnce instead of ReadWriteMany, volumeMode Filesystem instead of Block",
      ),
    ],
    [
      "from a snapshot",
      ofSize(
        "1Gi",
        "data",
        "dataSource: {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: monday},",
      ),
      keeps("dataSource none instead of VolumeSnapshot monday"),
    ],
    ["under another name", ofSize("10Gi", "data2"), []],
    ["with a value known later", ofSize('"(known after deploy)"'), []],
  ])("recreated %s", (_, templates, expected) => {
    expect(findings(existingClaimsUnchanged, [replaced(set(), set({ templates }))])).toEqual(
      expected,
    );
  });

  const larger = set({ templates: ofSize("10Gi") });

  test("equally different PersistentVolumeClaims share one finding, including those above the replica count", () => {
    const claims = [
      claim("data-db-1"),
      claim("data-db-0"),
      claim("data-dbx-0"),
      claim("data-db-x"),
    ];
    const names = "PersistentVolumeClaim shop/data-db-0, PersistentVolumeClaim shop/data-db-1";
    const expected = keeps("storage 1Gi instead of 10Gi", names, "existing claims keep");
    expect(findings(existingClaimsUnchanged, [replaced(set(), larger)], { claims })).toEqual(
      expected,
    );
  });

  test("a manually resized PersistentVolumeClaim has no finding if the template is unchanged", () => {
    const claims = [claim("data-db-0", "", "5Gi")];
    expect(
      findings(existingClaimsUnchanged, [replaced(set(), set({ image: "acme/db:2" }))], { claims }),
    ).toEqual([]);
  });

  test("a PersistentVolumeClaim that this deployment resizes matches the template", () => {
    const resized = claim("data-db-0", "", "10Gi");
    const changes = [replaced(set(), larger), { ...created(resized), action: "update" } as const];
    expect(findings(existingClaimsUnchanged, changes)).toEqual([]);
  });

  test("a new StatefulSet uses PersistentVolumeClaims of an earlier StatefulSet", () => {
    expect(findings(existingClaimsUnchanged, [created(larger)])).toEqual(
      keeps("storage 1Gi instead of 10Gi"),
    );
  });

  test("qvs compares the templates if it can't read the PersistentVolumeClaims", () => {
    expect(
      findings(existingClaimsUnchanged, [replaced(set(), larger)], { claims: "unreadable" }),
    ).toEqual([
      `warning: StatefulSet shop/db: existing claims of template data would keep storage 1Gi instead of 10Gi\n  ${onlyNewClaims}. qvs can't read the claims: forbidden`,
    ]);
    expect(findings(existingClaimsUnchanged, [created(larger)], { claims: "unreadable" })).toEqual(
      [],
    );
  });

  test("PersistentVolumeClaims that are deleted with the StatefulSet are recreated", () => {
    expect(
      findings(existingClaimsUnchanged, [replaced(set({ policy: "Delete" }), larger)]),
    ).toEqual([]);
    const claimKey = keyOf(idOf(claim("data-db-0")));
    const objects = [{ key: claimKey, id: idOf(claim("data-db-0")) }];
    const owned = { ...replaced(set(), larger), alsoDeleted: { objects } };
    expect(findings(existingClaimsUnchanged, [owned])).toEqual([]);
  });

  test("an update recreates no PersistentVolumeClaims", () => {
    expect(
      findings(existingClaimsUnchanged, [{ ...replaced(set(), larger), action: "update" }]),
    ).toEqual([]);
  });
});

describe("old PersistentVolumeClaims are left behind when the StatefulSet is", () => {
  const old = "PersistentVolumeClaim shop/data-db-0";
  const byTemplate =
    "A claim is found by the name of its template. The data stays in the old claims, which nothing deletes";
  const byName =
    "A claim is found by the name and namespace of its StatefulSet. The data stays in the old claims, which nothing deletes";

  test.each<[string, SetOptions, Surrounded, readonly string[]]>([
    ["with the same template", { templates: ofSize("10Gi") }, {}, []],
    [
      "with another name of the template",
      { templates: ofSize("1Gi", "data2") },
      {},
      [
        `warning: StatefulSet shop/db would start with new, empty claims\n  Old claims: ${old}. New templates: data2. ${byTemplate}`,
      ],
    ],
    [
      "without templates",
      { templates: "" },
      {},
      [
        `warning: StatefulSet shop/db no longer uses its old claims\n  Old claims: ${old}. ${byTemplate}`,
      ],
    ],
    ["with one more template", { templates: `${ofSize("1Gi")}, ${ofSize("1Gi", "wal")}` }, {}, []],
    [
      "with manually created PersistentVolumeClaims",
      { templates: ofSize("1Gi", "data2") },
      { claims: [claim("data-db-0"), claim("data2-db-0")] },
      [],
    ],
    ["without an old claim", { templates: ofSize("1Gi", "data2") }, { claims: [] }, []],
    [
      "with the old claim as a volume",
      { templates: "", volumes: "{name: data, persistentVolumeClaim: {claimName: data-db-0}}" },
      {},
      [],
    ],
    [
      "with unreadable claims",
      { templates: ofSize("1Gi", "data2") },
      { claims: "unreadable" },
      [
        `warning: StatefulSet shop/db would start with new, empty claims\n  Old claims: those of template data. New templates: data2. ${byTemplate}`,
      ],
    ],
  ])("recreated %s", (_, after, surrounded, expected) => {
    expect(findings(startsEmpty, [replaced(set(), set(after))], surrounded)).toEqual(expected);
  });

  const begins = (by: string, left = old) => [
    `warning: StatefulSet ${by} would start with new, empty claims\n  StatefulSet shop/db is deleted, and leaves ${left} behind. ${byName}`,
  ];

  test.each<[string, SetOptions, SetOptions, Surrounded, readonly string[]]>([
    ["another name", { name: "dbx" }, {}, {}, begins("shop/dbx")],
    ["another namespace", { namespace: "vault" }, {}, {}, begins("vault/db")],
    [
      "another name and another template",
      { name: "dbx", templates: ofSize("1Gi", "files"), image: "acme/db@sha256:0" },
      {},
      {},
      begins("shop/dbx"),
    ],
    ["another name and another image", { name: "dbx", image: "other" }, {}, {}, begins("shop/dbx")],
    [
      "nothing in common",
      { name: "cache", image: "redis:7", templates: ofSize("1Gi", "dump") },
      {},
      {},
      [],
    ],
    ["claims that are deleted with the old one", { name: "dbx" }, { policy: "Delete" }, {}, []],
    ["no claims before", { name: "dbx" }, { templates: "" }, {}, []],
    [
      "manually created PersistentVolumeClaims",
      { name: "dbx" },
      {},
      { claims: [claim("data-db-0"), claim("data-dbx-0")] },
      [],
    ],
    ["unreadable claims", { name: "dbx" }, {}, { claims: "unreadable" }, begins("shop/dbx")],
    [
      "no Pods before",
      { name: "dbx" },
      { replicas: 0 },
      { claims: [] },
      begins("shop/dbx", "its claims"),
    ],
  ])("replaced by one with %s", (_, after, before, surrounded, expected) => {
    const deleted = [set(before)];
    expect(findings(startsEmpty, [created(set(after))], { ...surrounded, deleted })).toEqual(
      expected,
    );
  });

  test("new and replaces none", () => {
    expect(findings(startsEmpty, [created(set({ name: "dbx" }))])).toEqual([]);
  });
});

test("no fix suggests renaming an object with PersistentVolumeClaims", () => {
  const fixes = (object: KubeObject) =>
    recreated({
      plan: {
        ...{ deployment: "shop", namespace: "shop", kept: [], notices: [], digest: "" },
        ...{ changes: [replaced(object, object)], deletions: [] },
      },
      facts: around(),
      releases: { declared: new Set() },
      placeOf: () => undefined,
    }).map(({ fix }) => fix);
  expect(fixes(set())).toEqual([
    "Check that its Pods can be absent during the replacement, and keep its name: under another name, it starts with new, empty claims",
  ]);
  expect(fixes(set({ templates: "" }))).toEqual([
    "Check that its Pods can be absent during the replacement, or give it another name, so that the old one is deleted only after the new one is ready",
  ]);
});
