import { expect, test } from "vitest";
import { dryRunProblems } from "../../../../../src/plan/changes/problems/dry-run-problems.ts";
import type { DeclaredObject, DesiredObject } from "../../../../../src/plan/declared/objects.ts";
import { refused } from "../../../../support/fake-cluster.ts";
import { declare } from "../../../../support/plan/declare.ts";

function toDesired(declared: DeclaredObject): DesiredObject {
  const recreated = { object: declared.object, applyTimeReferences: [] };
  return { ...declared, recreated } as unknown as DesiredObject;
}

const misspelt = `
app/web:
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec: {template: {spec: {containers: [{name: web, ports: [{containerPrt: 80}]}]}}}
`;

test("a rejection names its fields as the compiler does, so that both are reported as one", () => {
  const [web] = declare(misspelt);
  if (web === undefined) throw new Error("nothing is declared");
  const field = '.spec.template.spec.containers[name="web"].ports[containerPort=0,protocol="TCP"]';
  const message = `failed to create typed patch object: ${field}.containerPrt: field not declared in schema`;
  const { failure } = refused("invalid", 500, message);
  const problems = dryRunProblems(toDesired(web), undefined, failure);
  expect(problems.map(({ about }) => about)).toEqual([
    [
      {
        resource: "app/web",
        fields: ["spec.template.spec.containers[0].ports[0].containerPrt"],
      },
    ],
  ]);
});

test("a rejection by Server-Side Apply names its object once and omits the attempted operation", () => {
  const [web] = declare(misspelt);
  if (web === undefined) throw new Error("nothing is declared");
  const message = "failed to create typed patch object (shop/web; apps/v1, Kind=Deployment): ";
  const rejection = (detail: string) =>
    dryRunProblems(
      toDesired(web),
      undefined,
      refused("invalid", 500, message + detail).failure,
    ).map(({ what, facts = [] }) => [what, ...facts.map(({ value }) => value)]);
  const what = "Deployment shop/web: the API server rejects the object";
  expect(rejection(".spec.replcas: field not declared in schema")).toEqual([
    [what, "spec.replcas: field not declared in schema"],
  ]);
  const two = "errors:\n  .Spec: field not declared in schema\n  .spec.x: expected string, got 1";
  expect(rejection(two)).toEqual([[what, two]]);
});

test("a rejection of a field of newer versions names these and the version of the server", () => {
  const [web] = declare(misspelt);
  if (web === undefined) throw new Error("nothing is declared");
  const message =
    "failed to create typed patch object (shop/web; apps/v1, Kind=Deployment): .spec.template.spec.hostnameOverride: field not declared in schema";
  const { failure } = refused("invalid", 500, message);
  const problems = dryRunProblems(toDesired(web), undefined, failure, {
    server: { major: 1, minor: 32 },
  });
  expect(problems.map(({ facts }) => facts)).toEqual([
    [
      {
        label: "answer",
        value: "spec.template.spec.hostnameOverride: field not declared in schema",
      },
      { label: "exists", value: "since Kubernetes 1.34; this server is 1.32" },
    ],
  ]);
});

const volume = (source: string) => `
app/web:
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec: {template: {spec: {volumes: [{name: x, ${source}}]}}}
`;

test.each([
  ["an object that is only live", "configMap: {name: conf}", "Give the volume another name"],
  ["two declared objects", "configMap: {name: conf}, emptyDir: {}", "Correct the value"],
])(
  "a volume with a second source, %s, has its own fix and is reported once",
  (_, source, expectedFix) => {
    const [web] = declare(volume(source));
    if (web === undefined) throw new Error("nothing is declared");
    const { failure } = refused("invalid", 422, "invalid");
    const spec = "spec.template.spec";
    const causes = [
      {
        field: `${spec}.volumes[0].configMap`,
        message: "Forbidden: may not specify more than 1 volume type",
      },
      { field: `${spec}.containers[0].volumeMounts[0].name`, message: 'Not found: "x"' },
    ].map((each) => ({ ...each, reason: "FieldValueForbidden" }));
    const problems = dryRunProblems(toDesired(web), web.object, { ...failure, causes });
    expect(problems.map(({ fix }) => fix)).toEqual([expect.stringContaining(expectedFix)]);
  },
);

const otherPort = [
  'spec.template.spec.containers[name="web"].ports[containerPort=80,protocol="TCP"]',
];

const taking =
  "ake ownership of all its fields with --takeover=helm, which removes the undeclared ones";

test.each([
  [
    "a deployment",
    undefined,
    "Declare the live values of helm instead of yours",
    [`t${taking}`],
    ["takeover: helm"],
  ],
  ["a rollback", { release: 1, corrects: false }, `T${taking}`, [], ["takeover: helm"]],
  ["a correction", { release: 1, corrects: true }, `Deploy a commit to t${taking}`, [], []],
])(
  "%s has its own fix for a rejection next to fields of other managers",
  (_, record, fix, other, inputs) => {
    const [web] = declare(misspelt);
    if (web === undefined) throw new Error("nothing is declared");
    const { failure } = refused("invalid", 422, "invalid");
    const field = "spec.template.spec.containers[0].livenessProbe.httpGet";
    const causes = [
      "Forbidden: may not specify more than 1 handler type",
      "Duplicate value: 1",
    ].map((message) => ({ reason: "FieldValueForbidden", field, message }));
    const problems = dryRunProblems(
      toDesired(web),
      web.object,
      { ...failure, causes },
      { record, excludedBy: { managers: ["helm"], paths: otherPort } },
    );
    const facts = expect.arrayContaining([{ label: "fields", value: otherPort.join(", ") }]);
    const each = { fix, facts, inputs };
    expect(problems).toEqual([expect.objectContaining(each), expect.objectContaining(each)]);
    expect(problems.map(({ otherwise = [] }) => otherwise)).toEqual([other, other]);
  },
);

test("a preview names only the ports of other managers", () => {
  const [web] = declare(misspelt);
  if (web === undefined) throw new Error("nothing is declared");
  const { failure } = refused("invalid", 422, "invalid");
  const cause = { reason: "FieldValueDuplicate", field: "spec.ports[1].name", message: "twice" };
  const paths = [
    ...otherPort,
    'spec.volumes[name="theirs"]',
    'spec.ports[port=80,protocol="SCTP"]',
    'spec.tenants[name="a]theirs"].ports[port=80,protocol="TCP"]',
  ];
  const problems = dryRunProblems(
    toDesired(web),
    web.object,
    { ...failure, causes: [cause] },
    { isForeign: true, isWithheld: true, excludedBy: { managers: ["helm"], paths } },
  );
  const named =
    'spec.template.spec.containers[…].ports[containerPort=80,protocol="TCP"], spec.ports[port=80,protocol="SCTP"]';
  expect(problems[0]?.facts).toContainEqual({ label: "fields", value: named });
});

test("a conflict about a label of qvs can't be settled by leaving it out", () => {
  const [web] = declare(misspelt);
  if (web === undefined) throw new Error("nothing is declared");
  const conflict = (field: string) => ({
    reason: "FieldManagerConflict",
    field,
    message: 'conflict with "helm"',
  });
  const causes = [".metadata.labels.app.kubernetes.io/managed-by", ".spec.template"].map(conflict);
  const { failure } = refused("conflict", 409, "conflicts", causes);
  const [label, template] = dryRunProblems(toDesired(web), undefined, failure);
  expect(label).toMatchObject({
    why: "qvs sets this label in all objects of a deployment",
    fix: expect.stringMatching(/^Overwrite it with --takeover=helm, /),
    inputs: ["takeover: helm"],
  });
  expect(label).not.toHaveProperty("otherwise");
  expect(template?.fix).toBe(
    "Keep the live value: add the annotation vs.axis-dev.io/ignore-changes: 'spec.template'",
  );
});
