import { isObject, type JsonObject } from "../../../src/model/json.ts";
import { idOf, isKubeObject, keyOf } from "../../../src/model/object.ts";
import type { Change, Plan } from "../../../src/model/plan/plan.ts";
import type { Compilation, ForeignResource } from "../../../src/model/sources/compilation.ts";
import { canonicalOperations } from "../../../src/plan/digest.ts";
import { canContainSecrets } from "../../../src/redaction/sensitive-object.ts";
import { showableRejection } from "../../../src/redaction/showable-rejection.ts";
import type { DeploymentReport } from "../../../src/report/comment/comment-input.ts";
import { renderPlanSummary } from "../../../src/report/plans/plan-summary.ts";
import { renderPlanText } from "../../../src/report/plans/plan-text.ts";
import { reportJson } from "../../../src/report/report-json.ts";
import { base64, expectNone } from "../../support/markers.ts";
import { renderComment, renderSummary } from "../../support/report/rendered.ts";
import {
  commentInput,
  live,
  planned,
  shopCompilation,
  shopPlan,
  shopRelease,
  shopReport,
} from "../../support/shop/shop-report.ts";
import { attacks } from "../attack.ts";

/** The live and the declared value. Every place has both. */
const before = "XQZJKVWYXQ";
const after = "ZZKJQWVXYY";

interface Attack {
  readonly name: string;
  /** Returns the object with a Secret's value in an unusual place. */
  readonly object: (value: string) => JsonObject;
}

const identity = { apiVersion: "v1", kind: "Secret", metadata: { name: "db", namespace: "shop" } };

function field(name: string, fields: (value: string) => JsonObject): Attack {
  return { name, object: (value) => ({ ...identity, ...fields(value) }) };
}

function metadata(name: string, fields: (value: string) => JsonObject): Attack {
  const object = (value: string) => ({
    ...identity,
    metadata: { ...identity.metadata, ...fields(value) },
  });
  return { name, object };
}

function kind(text: string): Attack {
  return {
    name: `the kind ${JSON.stringify(text)}`,
    object: (value) => ({
      ...identity,
      kind: text,
      data: { a: base64(value) },
      stringData: { b: value },
      extra: value,
    }),
  };
}

function elsewhere(name: string, object: Attack["object"]): Attack {
  return { name, object };
}

const container = (value: string) => ({ name: "web", env: [{ name: "PW", value }] });

const fields: readonly Attack[] = [
  field("stringdata", (value) => ({ stringdata: { password: value } })),
  field("Data", (value) => ({ Data: { password: base64(value) } })),
  field("spec.data", (value) => ({ spec: { data: { password: value } } })),
  field("a field named after the value's own key", (value) => ({ password: value })),
  field("a list", (value) => ({ values: [value, { deeper: [value] }] })),
  field("a type that is not text", (value) => ({ type: { password: value } })),
  field("an immutable that is no truth value", (value) => ({ immutable: value })),
  field("an apiVersion that is not text", (value) => ({ apiVersion: [value] })),
  field("a status", (value) => ({ status: { password: value } })),
  field("data below data", (value) => ({ data: { data: { password: value } } })),
  field("the names of fields below a key", (value) => ({ data: { nested: { [value]: 1 } } })),
  metadata("metadata.stringData", (value) => ({ stringData: { password: value } })),
  metadata("metadata.data", (value) => ({ data: { password: value } })),
  metadata("an annotation", (value) => ({ annotations: { password: value } })),
  metadata("annotations that are no map", (value) => ({ annotations: value })),
  metadata("labels named like a secret", (value) => ({ labels: { "db-password": value } })),
  metadata("labels that are no texts", (value) => ({ labels: { a: { b: value } } })),
  metadata("a finalizer", (value) => ({ finalizers: [value] })),
  elsewhere("metadata that is a list", (value) => ({ ...identity, metadata: [value] })),
  elsewhere("no apiVersion", (value) => ({ kind: "Secret", stringdata: { password: value } })),
  elsewhere("no metadata, like a reference", (value) => ({
    apiVersion: "v1",
    kind: "Secret",
    name: "db",
    key: value,
  })),
  elsewhere("no kind", (value) => ({ apiVersion: "v1", stringData: { password: value } })),
  elsewhere("no kind, but a type", (value) => ({
    type: "Opaque",
    data: { password: base64(value) },
  })),
];

const kinds: readonly Attack[] = [
  ...["secret", "SECRET", "Secrets", " Secret ", "Secret\n", "Sec ret", "sEcReT"].map(kind),
  ...["Ｓｅｃｒｅｔ", "Ѕесrеt", "Sеcret", "S\u200becret", "Secrеt", "ꜱᴇᴄʀᴇᴛ"].map(kind),
  ...["Secert", "Secre", "Scret", "5ecret", "Secret.v1", "v1/Secret", "MySecret"].map(kind),
  ...["Secret\u3164", "\u202eterceS", "Se\u0301cret"].map(kind),
];

const nested: readonly Attack[] = [
  elsewhere("a List", (value) => ({
    apiVersion: "v1",
    kind: "List",
    metadata: { name: "db" },
    items: [{ ...identity, stringdata: { a: value } }],
  })),
  elsewhere("a SecretList whose items have no kind", (value) => ({
    apiVersion: "v1",
    kind: "SecretList",
    metadata: { name: "db" },
    items: [{ metadata: { name: "a" }, data: { a: base64(value) } }],
  })),
  elsewhere("the template of an ExternalSecret", (value) => ({
    apiVersion: "external-secrets.io/v1",
    kind: "ExternalSecret",
    metadata: { name: "db" },
    spec: { target: { template: { metadata: { annotations: { a: value } }, data: { a: value } } } },
  })),
  elsewhere("the template of a SealedSecret", (value) => ({
    apiVersion: "bitnami.com/v1alpha1",
    kind: "SealedSecret",
    metadata: { name: "db" },
    spec: { template: { stringdata: value, data: { a: value } } },
  })),
  elsewhere("the fake store of External Secrets", (value) => ({
    apiVersion: "external-secrets.io/v1",
    kind: "SecretStore",
    metadata: { name: "db" },
    spec: { provider: { fake: { data: [{ key: "a", value }] } } },
  })),
  elsewhere("a template in a resource of somebody's own", (value) => ({
    apiVersion: "acme.example/v1",
    kind: "Database",
    metadata: { name: "db" },
    spec: { credentials: { kind: "Secret", metadata: { name: "x" }, password: value } },
  })),
  elsewhere("stringData without any kind", (value) => ({
    apiVersion: "acme.example/v1",
    kind: "Database",
    metadata: { name: "db" },
    spec: { credentials: { stringData: { a: value } } },
  })),
  elsewhere("a manifest as text in a ConfigMap", (value) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "db" },
    data: { "secret.yaml": `apiVersion: v1\nkind: Secret\nstringData:\n  a: ${value}\n` },
  })),
];

/**
 * Annotations in which tools store a copy of the object. The copied object can also contain a
 * Secret's value through a reference.
 */
const copies: readonly Attack[] = [
  "kubectl.kubernetes.io/last-applied-configuration",
  "kapp.k14s.io/original",
  "objectset.rio.cattle.io/applied",
  "banzaicloud.com/last-applied",
  "acme.example/copy",
].map((annotation) =>
  elsewhere(`a copy of a Deployment in ${annotation}`, (value) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: "web",
      annotations: {
        [annotation]: JSON.stringify({
          apiVersion: "apps/v1",
          spec: { containers: [container(value)] },
        }),
      },
    },
    spec: {},
  })),
);

attacks(
  "fields of Secrets",
  "no output shows the value in $name",
  [...fields, ...kinds, ...nested, ...copies],
  ({ object }) => {
    for (const output of outputsOf(object(before), object(after)))
      expectNone([before, after], output);
  },
);

/** Live annotations and labels of a Secret that its manifest doesn't declare. */
const undeclared = [
  "kubectl.kubernetes.io/last-applied-configuration",
  "kapp.k14s.io/original",
  "objectset.rio.cattle.io/applied",
  "plain-text",
].map((name) => ({ name }));

attacks(
  "fields of Secrets",
  "no output shows a live Secret's value in $name",
  undeclared,
  ({ name }) => {
    const declared = { ...identity, data: { a: base64(after) } };
    const foreign = { annotations: { [name]: before }, labels: { [`${name}-1`]: before } };
    const found = { ...declared, metadata: { ...identity.metadata, ...foreign } };
    for (const predicted of [found, declared]) {
      const change = planned("app", "db", declared, live(found));
      const updates = [{ ...change, action: "update" as const, predicted: live(predicted) }];
      const plan = shopPlan({ changes: updates });
      const input = commentInput(shopReport({ plan }));
      const output = [renderComment(input), renderPlanText(plan)].join("\n");
      expectNone([before, after], output);
    }
  },
);

const pulumi = [
  "kubernetes:core/v1:Secret",
  "kubernetes:core/v1:SecretPatch",
  "kubernetes:core/v1:secret",
  "aws:secretsmanager:SecretVersion",
  "random:index/randomPassword:RandomPassword",
  "aws:rds/instance:Instance",
].map((type) => ({ type }));

attacks("fields of Secrets", "no preview shows a value in Pulumi's $type", pulumi, ({ type }) => {
  const resource = (value: string): ForeignResource => ({
    type: "foreign",
    stage: "app",
    id: "db",
    provider: "pulumi-yaml",
    content: { type, properties: { password: value, stringData: { a: value } } },
  });
  const [base, head] = [withResource(resource(before)), withResource(resource(after))];
  const report = shopReport({ plan: undefined, head, base });
  expectNone([before, after], renderComment(commentInput(report)));
});

function outputsOf(old: JsonObject, now: JsonObject): readonly string[] {
  const [base, head] = [old, now].map((object) =>
    withResource({ type: "manifest", stage: "app", id: "db", object, dependsOn: [] }),
  );
  const plain = { plan: undefined, head, base };
  const reports = [
    shopReport(plain),
    shopReport({ ...plain, head: withResource() }),
    shopReport({ ...plain, base: undefined }),
    ...changesBetween(old, now).flatMap((change) => {
      const plan = shopPlan({ changes: [change] });
      // The live object is the last release's, was changed since then, or has a new name.
      const renamed = { ...old, metadata: { ...identity.metadata, name: "db-old" } };
      const gone = deletionOf(renamed, change);
      return [
        shopReport({ ...plain, plan }, [released(old)]),
        shopReport({ ...plain, base: undefined, plan }, [released(now)]),
        shopReport({ ...plain, base: undefined, plan: { ...plan, deletions: gone } }, [
          released(renamed),
        ]),
      ];
    }),
  ];
  return [...reports.map(outputOf), refusalOf(now)];
}

function deletionOf(object: JsonObject, change: Change): Plan["deletions"] {
  if (!isKubeObject(object)) return [];
  const [id, key] = [idOf(object), keyOf(idOf(object))];
  const ours = { sent: object, secretValues: [] };
  return [{ ...change, id, key, apiVersion: "v1", uid: "u", live: live(object), lastSent: ours }];
}

function released(object: JsonObject) {
  return shopRelease([{ type: "manifest", stage: "app", id: "db", object, dependsOn: [] }]);
}

/**
 * Returns the changes from one object to the other. Objects that aren't valid for Kubernetes are
 * rejected before a plan exists.
 */
function changesBetween(old: JsonObject, now: JsonObject): readonly Change[] {
  if (!isKubeObject(old) || !isKubeObject(now) || !isObject(now.metadata)) return [];
  const update = { ...planned("app", "db", now, live(old)), action: "update" as const };
  return [update, { ...update, predicted: undefined }, planned("app", "db", now, undefined)];
}

function outputOf(report: DeploymentReport): string {
  const input = commentInput(report);
  const all = [renderComment(input), renderSummary(input), JSON.stringify(reportJson(report))];
  const { plan } = report;
  if (plan === undefined) return all.join("\n");
  const hashed = plan.changes.some(({ desired }) => canContainSecrets(desired))
    ? canonicalOperations("shop", plan.changes, [])
    : "";
  const texts = [
    renderPlanText(plan, undefined, [], report),
    renderPlanSummary({ ...report, plan }),
  ];
  return [...all, ...texts, hashed].join("\n");
}

/** Returns a rejection by the API server that quotes the whole object. */
function refusalOf(object: JsonObject): string {
  if (!canContainSecrets(object)) return "";
  const message = `Invalid value: ${JSON.stringify(object)}`;
  const fields = [`data.nested.${after}`, `spec.${after}`, `${after}.a`, `metadata.${after}`];
  const causes = fields.map((field) => ({ reason: "FieldValueInvalid", field, message }));
  const told = showableRejection({ reason: "invalid", message, causes }, object);
  return [told.message, ...told.causes.map((cause) => `${cause.field}: ${cause.message}`)].join(
    "\n",
  );
}

function withResource(...resources: Compilation["resources"]): Compilation {
  return { ...shopCompilation("1.5.0", "308a0d0c4c", "debug"), resources, trace: undefined };
}
