import { expect, test } from "vitest";
import type { Compilation } from "../../../../src/model/compilation.ts";
import { changedReferences } from "../../../../src/report/diff/changed-references.ts";
import { buildChanges } from "../../../../src/report/rows/build-changes.ts";
import { manifestsFrom } from "../../../support/plan/declare.ts";
import {
  planned,
  shopCompilation,
  shopPlan,
  shopReport,
} from "../../../support/shop/shop-report.ts";

const reader = (reference: string, dependsOn: string) =>
  `app/it: {kind: ConfigMap, metadata: {name: it}, data: {a: "x-${reference}"}, dependsOn: [${dependsOn}]}\n`;

function compilationOf(yaml: string): Compilation {
  return { ...shopCompilation("1", "a", "info"), resources: manifestsFrom(yaml) };
}

test.each([
  [
    "a value of a Secret, in its other form",
    reader("$(ref.login.data.password)", "login"),
    "app/login: {apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {password: one}}",
    "app/login: {apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {password: two}}",
    ["Secret login"],
  ],
  [
    "another field of the same object",
    reader("$(ref.login.data.password)", "login"),
    "app/login: {apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {password: one, user: a}}",
    "app/login: {apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {password: one, user: b}}",
    [],
  ],
  [
    "a value through another object",
    `${reader("$(ref.relay.data.a)", "relay")}app/relay: {kind: ConfigMap, metadata: {name: relay}, data: {a: "$(ref.base.data.a)"}, dependsOn: [base]}\n`,
    "app/base: {kind: ConfigMap, metadata: {name: base}, data: {a: one}}",
    "app/base: {kind: ConfigMap, metadata: {name: base}, data: {a: two}}",
    ["ConfigMap base"],
  ],
  [
    "an address of a changed Service",
    reader("$(ref.web.status.ip)", "web"),
    "app/web: {kind: Service, metadata: {name: web}, spec: {type: ClusterIP}}",
    "app/web: {kind: Service, metadata: {name: web}, spec: {type: LoadBalancer}}",
    ["Service web"],
  ],
  [
    "an address of an unchanged Service",
    reader("$(ref.web.status.ip)", "web"),
    "app/web: {kind: Service, metadata: {name: web}, spec: {type: ClusterIP}}",
    "app/web: {kind: Service, metadata: {name: web}, spec: {type: ClusterIP}}",
    [],
  ],
])("another change of the pull request explains %s", (_, yaml, before, now, expected) => {
  const [base, head] = [compilationOf(yaml + before), compilationOf(yaml + now)];
  expect(changedReferences("app/it", head, base)).toEqual(expected);
});

test("an update that another change explains isn't marked as an external change", () => {
  const login = (password: string) =>
    `app/login: {apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {password: ${password}}}`;
  const [base, head] = ["one", "two"].map((password) =>
    compilationOf(reader("$(ref.login.data.password)", "login") + login(password)),
  );
  const it = (a: string) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "it" },
    data: { a },
    spec: { a },
  });
  const plan = shopPlan({ changes: [planned("app", "it", it("two"), it("one"))] });
  const notes = buildChanges(shopReport({ base, head, plan })).rows.map(({ note }) => note);
  expect(notes).toContain("uses values of Secret login, which this pull request changes");
});
