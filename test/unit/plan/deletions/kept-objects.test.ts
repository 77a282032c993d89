import { expect, test } from "vitest";
import { deploymentLabel, revisionAnnotation } from "../../../../src/model/annotations.ts";
import type { LiveObjects } from "../../../../src/model/deployments/release.ts";
import { emptyHistory } from "../../../../src/model/deployments/release-history.ts";
import type { Json } from "../../../../src/model/json.ts";
import { idOf, type KubeObject, keyOf } from "../../../../src/model/object.ts";
import type { WorkloadsByNamespace } from "../../../../src/plan/deletions/kept-objects.ts";
import { objectHistory } from "../../../../src/releases/history.ts";
import { text } from "../../../support/plan/declare.ts";
import { appliedFrom, liveFrom } from "../../../support/plan/live.ts";
import {
  inventoryFrom,
  planOf,
  planText,
  type Situation,
} from "../../../support/plan/plan-text.ts";

const config = (name: string, key: string | undefined = "k", kind = "ConfigMap") =>
  `app/${name}: {apiVersion: v1, kind: ${kind}, metadata: {name: ${name}, annotations: {${key === undefined ? "" : `vs.axis-dev.io/keepOnDelete: ${key}`}}}, data: {}}\n`;

/** Returns live objects with the given revisions. */
function numbered(revisions: Readonly<Record<string, string>>, manifests: string): LiveObjects {
  return new Map(
    [...appliedFrom(manifests)].map(([key, object]) => {
      const revision = revisions[String(object.metadata.name)];
      const given = object.metadata.annotations as Readonly<Record<string, Json>>;
      const annotations = { ...given, ...(revision && { [revisionAnnotation]: revision }) };
      return [key, { ...object, metadata: { ...object.metadata, annotations } }];
    }),
  );
}

const four = config("a") + config("b") + config("c") + config("d");
const numbers = { a: "1", b: "2", c: "3", d: "4" };

function users(yaml: string): WorkloadsByNamespace {
  return new Map([["shop", [...liveFrom(yaml).values()]]]);
}

const noUsers = users("[]");

/** Compares the plan for everything that is no longer declared. */
function check(situation: Omit<Situation, "before"> & { before?: string }, expected: string): void {
  const { before = four } = situation;
  const live = situation.live ?? numbered(numbers, before);
  const lines = planText(planOf({ users: noUsers, ...situation, before, live })).split("\n");
  expect(lines.filter((line) => /^(delete|keep|notice:) /.test(line)).join("\n")).toBe(
    text(expected),
  );
}

test("a kept object is listed with its key, number, age and users", () => {
  const history = {
    ...objectHistory(emptyHistory),
    lastDeclared: new Map([
      ["core:ConfigMap::shop/a", 2],
      ["core:ConfigMap::shop/b", 5],
    ]),
    newest: 5,
  };
  const seen = users(`
    - {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: shop}, spec: {volumes: [{configMap: {name: a}}]}}
    - {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: rs, namespace: shop}, spec: {replicas: 0, template: {spec: {containers: [{envFrom: [{configMapRef: {name: a}}]}]}}}}
    - {apiVersion: v1, kind: Pod, metadata: {name: other, namespace: shop}, spec: {volumes: [{secret: {secretName: b}}]}}
  `);
  check(
    { declared: config("d"), history, users: seen },
    `
    keep ConfigMap shop/a (keepOnDelete: key k, revision 1, since release 3, used by ReplicaSet shop/rs, Pod shop/p)
    keep ConfigMap shop/b (keepOnDelete: key k, revision 2, used by no Pod or Pod template)
    keep ConfigMap shop/c (keepOnDelete: key k, revision 3, used by no Pod or Pod template)
    `,
  );
});

test("the newest objects of a key are kept, declared ones count, and older ones are deleted", () => {
  check(
    { declared: config("d"), keepRevisions: 2 },
    `
    delete ConfigMap shop/a (app, revision 1 of key k; enough newer revisions are kept)
    delete ConfigMap shop/b (app, revision 2 of key k; enough newer revisions are kept)
    keep ConfigMap shop/c (keepOnDelete: key k, revision 3, used by no Pod or Pod template)
    `,
  );
});

test("a declared object is never deleted, however old it is", () => {
  check(
    { declared: config("a"), keepRevisions: 1 },
    `
    delete ConfigMap shop/b (app, revision 2 of key k; enough newer revisions are kept)
    delete ConfigMap shop/c (app, revision 3 of key k; enough newer revisions are kept)
    keep ConfigMap shop/d (keepOnDelete: key k, revision 4, used by no Pod or Pod template)
    `,
  );
});

test("each kind, namespace and key is counted separately", () => {
  const before =
    config("a") +
    config("b", "j") +
    config("c", "k", "Secret").replace("app/c", "app/secret").replace("c,", "c,") +
    config("d");
  check(
    { before, declared: config("d"), keepRevisions: 1 },
    `
    delete ConfigMap shop/a (app, revision 1 of key k; enough newer revisions are kept)
    keep ConfigMap shop/b (keepOnDelete: key j, revision 2, used by no Pod or Pod template)
    keep Secret shop/c (keepOnDelete: key k, revision 3, used by no Pod or Pod template)
    `,
  );
});

test("an object that a Pod or an old ReplicaSet names is kept", () => {
  const seen = users(`
    - {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: shop}, spec: {volumes: [{configMap: {name: a}}]}}
    - {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: rs, namespace: shop}, spec: {replicas: 0, template: {spec: {volumes: [{configMap: {name: b}}]}}}}
  `);
  check(
    { declared: config("d"), keepRevisions: 1, users: seen },
    `
    delete ConfigMap shop/c (app, revision 3 of key k; enough newer revisions are kept)
    keep ConfigMap shop/a (keepOnDelete: key k, revision 1, used by Pod shop/p)
    keep ConfigMap shop/b (keepOnDelete: key k, revision 2, used by ReplicaSet shop/rs)
    `,
  );
});

test("an object is kept if a Pod uses the Secret that its controller creates", () => {
  const secret = (name: string) =>
    `app/${name}: {apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: ${name}, annotations: {vs.axis-dev.io/keepOnDelete: k}}, spec: {target: {name: made-of-${name}}}}\n`;
  const seen = users(
    `[{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: shop}, spec: {volumes: [{secret: {secretName: made-of-a}}]}}]`,
  );
  const before = secret("a") + secret("b") + secret("d");
  check(
    { before, declared: secret("d"), keepRevisions: 1, users: seen },
    `
    delete ExternalSecret shop/b (app, revision 2 of key k; enough newer revisions are kept)
    keep ExternalSecret shop/a (keepOnDelete: key k, revision 1, used by Pod shop/p)
    `,
  );
});

test("nothing is deleted if qvs can't list the users", () => {
  check(
    { declared: config("d"), keepRevisions: 1, users: new Map([["shop", "forbidden"]]) },
    `
    keep ConfigMap shop/a (keepOnDelete: key k, revision 1)
    keep ConfigMap shop/b (keepOnDelete: key k, revision 2)
    keep ConfigMap shop/c (keepOnDelete: key k, revision 3)
    notice: Namespace shop: the workloads that use kept objects can't be listed
    `,
  );
});

test("foreign and manually protected objects are neither deleted nor counted", () => {
  const live = new Map(numbered(numbers, four));
  const change = (name: string, metadata: (object: KubeObject) => object) => {
    const key = `core:ConfigMap::shop/${name}`;
    const object = live.get(key) as KubeObject;
    live.set(key, { ...object, metadata: { ...object.metadata, ...metadata(object) } });
  };
  change("a", () => ({ labels: { [deploymentLabel]: "other" } }));
  change("b", () => ({ annotations: { "vs.axis-dev.io/keepOnDelete": "by-hand" } }));
  const byHand = { "vs.axis-dev.io/keepOnDelete": "by-hand" };
  change("c", () => ({ annotations: { ...byHand, [revisionAnnotation]: "3" } }));
  check(
    { declared: config("d"), keepRevisions: 1, live },
    `
    keep ConfigMap shop/a (not ours: its label vs.axis-dev.io/deployment names the deployment other)
    keep ConfigMap shop/b (keepOnDelete: key by-hand, revision 0, used by no Pod or Pod template)
    keep ConfigMap shop/c (keepOnDelete: key by-hand, revision 3, used by no Pod or Pod template)
    notice: ConfigMap shop/a is no longer declared but stays
    `,
  );
});

test("qvs doesn't delete its own objects that an old manifest declared", () => {
  const lease = (name: string) =>
    `app/${name}: {apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: ${name}}}\n`;
  const before = lease("lock") + lease("other");
  // Manifests can't declare the name of the lock, so it is set afterwards.
  const reserved = (name: string) => (name === "lock" ? "qvs-shop-test" : name);
  const inventory = inventoryFrom(before).map((entry) => ({
    ...entry,
    id: { ...entry.id, name: reserved(entry.id.name) },
  }));
  const live = new Map(
    [...appliedFrom(before).values()].map((object) => {
      const name = reserved(String(object.metadata.name));
      const named = { ...object, metadata: { ...object.metadata, name } };
      return [keyOf(idOf(named)), named];
    }),
  );
  check(
    { declared: config("d"), before: "", inventory, live },
    `
    delete Lease shop/other (app)
    keep Lease shop/qvs-shop-test (not ours: it is the deployment lock)
    notice: Lease shop/qvs-shop-test is no longer declared but stays
    `,
  );
});
