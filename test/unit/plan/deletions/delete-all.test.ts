import { expect, test } from "vitest";
import { text } from "../../../support/plan/declare.ts";
import { appliedFrom } from "../../../support/plan/live.ts";
import {
  inventoryFrom,
  planOf,
  planText,
  type Situation,
} from "../../../support/plan/plan-text.ts";

/** Compares the plan of a deployment that is deleted as a whole. */
function check(situation: Omit<Situation, "declared">, expected: string): void {
  expect(planText(planOf({ ...situation, declared: "", deletes: true }))).toBe(text(expected));
}

const config = (name: string, annotations = "") =>
  `app/${name}: {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, annotations: {${annotations}}}, data: {x: text}}\n`;

const pod = (configMap: string) => `
app/web:
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec: {template: {spec: {containers: [{name: web, envFrom: [{configMapRef: {name: ${configMap}}}]}]}}}
`;

const keep = "vs.axis-dev.io/keepOnDelete: app-config";

test("qvs deletes the whole inventory without further flags, dependents first", () => {
  check(
    { before: config("settings") + pod("settings"), live: appliedFrom(config("never-recorded")) },
    `
    delete Deployment shop/web (app)
    delete ConfigMap shop/settings (app)
      after apps:Deployment::shop/web: it depends on this: its Pods use this ConfigMap
    notice: ConfigMap shop/never-recorded: applied by this deployment, but not recorded in any release
    `,
  );
});

test("protected kinds still need a flag, and no fix suggests declaring them again", () => {
  const precious = `
app/data: {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}}
appSetup/ns: {apiVersion: v1, kind: Namespace, metadata: {name: extra}}
`;
  check(
    { before: precious },
    `
    Namespace extra would be deleted with everything in it
      → Keep it: run this on its cluster, then run qvs again: kubectl annotate namespace extra vs.axis-dev.io/keepOnDelete=kept
        or delete it with --allow-delete=Namespace
    PersistentVolumeClaim shop/data would be deleted with everything in it
      → Keep it: run this on its cluster, then run qvs again: kubectl annotate persistentvolumeclaim data -n shop vs.axis-dev.io/keepOnDelete=kept
        or delete it with --allow-delete=PersistentVolumeClaim
    `,
  );
  const inside = `app/x: {apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: extra, annotations: {${keep}}}}\n`;
  check(
    { before: inside + precious, allowDelete: ["Namespace", "PersistentVolumeClaim"] },
    `
    Namespace extra: its deletion would also delete ConfigMap extra/x
      why: No flag allows a deletion that also deletes kept objects
      → Keep it: run this on its cluster, then run qvs again: kubectl annotate namespace extra vs.axis-dev.io/keepOnDelete=kept
        or delete both: delete ConfigMap extra/x manually, and use --allow-delete=Namespace
    `,
  );
});

test("the namespace of the releases is kept and doesn't keep other objects", () => {
  check(
    {
      before: `appSetup/ns: {apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n${config("a")}`,
      allowDelete: ["Namespace"],
    },
    `
    delete ConfigMap shop/a (app)
    keep Namespace shop (holds releases: it contains the releases and the lock; when it contains nothing else, delete it manually: kubectl delete namespace shop)
    `,
  );
});

test("a kept object stays together with its dependencies", () => {
  const dependent = config(
    "kept",
    `${keep}, vs.axis-dev.io/dependsOn: "core:ConfigMap::shop/base"`,
  );
  check(
    { before: config("base") + dependent + config("other") },
    `
    delete ConfigMap shop/other (app)
    keep ConfigMap shop/base (needed: ConfigMap shop/kept depends on it and is kept)
    keep ConfigMap shop/kept (keepOnDelete: key app-config, revision 0)
    `,
  );
});

test("kept objects are deleted on request, after everything that might use them", () => {
  check(
    {
      before: config("new", keep) + pod("new"),
      inventory: [
        ...inventoryFrom(config("new", keep) + pod("new")),
        ...inventoryFrom(config("old", keep)),
      ],
      live: appliedFrom(config("old", keep)),
      keepRevisions: 0,
    },
    `
    delete Deployment shop/web (app)
    delete ConfigMap shop/new (app, revision 0 of key app-config, kept until now)
      after apps:Deployment::shop/web: it depends on this: its Pods use this ConfigMap
    delete ConfigMap shop/old (app, revision 0 of key app-config, kept until now)
      after apps:Deployment::shop/web: its Pods might use this
    `,
  );
});

test("a manually added keepOnDelete annotation protects an object", () => {
  check(
    {
      inventory: inventoryFrom(config("a")),
      live: appliedFrom(config("a", "vs.axis-dev.io/keepOnDelete: by-hand")),
      keepRevisions: 0,
    },
    `keep ConfigMap shop/a (keepOnDelete: key by-hand, revision 0)`,
  );
});

test("qvs keeps an object that another field manager has adopted", () => {
  const [[key, object]] = [...appliedFrom(config("a"))] as [[string, never]];
  const live = new Map([
    [key, { ...(object as object), metadata: { name: "a", namespace: "shop", uid: "u" } }],
  ]);
  check(
    { inventory: inventoryFrom(config("a")), live: live as never },
    `
    keep ConfigMap shop/a (not ours: it has no label vs.axis-dev.io/deployment)
    notice: ConfigMap shop/a stays in the cluster
    `,
  );
});
