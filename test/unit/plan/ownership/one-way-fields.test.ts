import { expect, test } from "vitest";
import { parse } from "yaml";
import type { KubeObject } from "../../../../src/model/object.ts";
import { findOneWayFields } from "../../../../src/plan/ownership/one-way-fields.ts";

interface Case {
  readonly name: string;
  readonly kind: readonly [apiVersion: string, kind: string];
  readonly recorded: string;
  readonly live: string;
  readonly stays: readonly string[];
}

const claim = ["v1", "PersistentVolumeClaim"] as const;
const job = ["batch/v1", "Job"] as const;
const set = ["apps/v1", "StatefulSet"] as const;
const service = ["v1", "Service"] as const;
const size = (text: string) => `spec: {resources: {requests: {storage: ${text}}}}`;
const completed = 'status: {conditions: [{type: Complete, status: "True"}]}';
const pods = (label: string) => `template: {metadata: {labels: ${label}}}`;

const cases: readonly Case[] = [
  {
    name: "a larger claim stays",
    kind: claim,
    recorded: size("10Gi"),
    live: size("20Gi"),
    stays: ["spec.resources.requests.storage"],
  },
  {
    name: "a smaller claim grows again",
    kind: claim,
    recorded: size("2Ti"),
    live: size("20Gi"),
    stays: [],
  },
  {
    name: "an equal size in other units isn't a difference",
    kind: claim,
    recorded: size("1024Mi"),
    live: size("1Gi"),
    stays: [],
  },
  {
    name: "a claim with replace is never recreated",
    kind: claim,
    recorded: `${size("1Gi")}, metadata: {name: x, annotations: {vs.axis-dev.io/replace: "true"}}`,
    live: size("2Gi"),
    stays: ["spec.resources.requests.storage"],
  },
  {
    name: "access modes decide who can use a claim",
    kind: claim,
    recorded: "spec: {accessModes: [ReadWriteMany]}",
    live: "spec: {accessModes: [ReadWriteOnce]}",
    stays: [],
  },
  {
    name: "claim templates stay, and defaults aren't a difference",
    kind: set,
    recorded: "spec: {volumeClaimTemplates: [{spec: {a: 1}}], serviceName: a}",
    live: "spec: {volumeClaimTemplates: [{spec: {a: 2, volumeMode: Filesystem}}], serviceName: a}",
    stays: ["spec.volumeClaimTemplates"],
  },
  {
    name: "they recreate an object with the replace annotation",
    kind: set,
    recorded: `metadata: {name: x, annotations: {vs.axis-dev.io/replace: "true"}}, spec: {serviceName: a}`,
    live: "spec: {serviceName: b}",
    stays: [],
  },
  {
    name: "a selector that selects the recorded Pods stays",
    kind: set,
    recorded: `spec: {selector: {matchLabels: {a: "1", b: "2"}}, ${pods('{a: "1", b: "2"}')}}`,
    live: 'spec: {selector: {matchLabels: {a: "1"}}}',
    stays: ["spec.selector"],
  },
  {
    name: "another selector would select none of them",
    kind: set,
    recorded: `spec: {selector: {matchLabels: {a: "1"}}, ${pods('{a: "1"}')}}`,
    live: 'spec: {selector: {matchLabels: {a: "2"}}}',
    stays: [],
  },
  {
    name: "a completed Job isn't run again",
    kind: job,
    recorded: "spec: {template: {spec: {a: 1}}}",
    live: `spec: {template: {spec: {a: 2}}}, ${completed}`,
    stays: ["spec.template"],
  },
  {
    name: "the API server stores no empty map or list",
    kind: job,
    recorded: "spec: {template: {metadata: {annotations: {}}, spec: {a: 1, volumes: []}}}",
    live: `spec: {template: {metadata: {labels: {job-name: a}}, spec: {a: 1}}}, ${completed}`,
    stays: [],
  },
  {
    name: "another kind of volume is another value",
    kind: job,
    recorded: "spec: {template: {spec: {volumes: [{emptyDir: {}}]}}}",
    live: `spec: {template: {spec: {volumes: [{hostPath: {}}]}}}, ${completed}`,
    stays: ["spec.template"],
  },
  {
    name: "any other Job hasn't completed",
    kind: job,
    recorded: "spec: {template: {spec: {a: 1}}}",
    live: "spec: {template: {spec: {a: 2}}}",
    stays: [],
  },
  {
    name: "immutability stays, but data is content",
    kind: ["v1", "ConfigMap"],
    recorded: "data: {a: b}",
    live: "data: {a: c}, immutable: true",
    stays: ["immutable"],
  },
  {
    name: "addresses stay",
    kind: service,
    recorded: "spec: {clusterIP: None}",
    live: "spec: {clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1]}",
    stays: ["spec.clusterIP"],
  },
  {
    name: "an ExternalName has none",
    kind: service,
    recorded: "spec: {type: ExternalName, clusterIP: None}",
    live: "spec: {clusterIP: 10.0.0.1}",
    stays: [],
  },
  {
    name: "the parameters of a class stay",
    kind: ["storage.k8s.io/v1", "StorageClass"],
    recorded: "parameters: {type: a}",
    live: "parameters: {type: b}",
    stays: ["parameters"],
  },
  {
    name: "a role is content, because it decides about permissions",
    kind: ["rbac.authorization.k8s.io/v1", "RoleBinding"],
    recorded: "roleRef: {name: a}",
    live: "roleRef: {name: b}",
    stays: [],
  },
  {
    name: "a kind of the same name in another group is another kind",
    kind: ["example.com/v1", "StorageClass"],
    recorded: "parameters: {type: a}",
    live: "parameters: {type: b}",
    stays: [],
  },
];

test.each(cases)("$name", ({ kind: [apiVersion, kind], recorded, live, stays }) => {
  const object = (fields: string): KubeObject => ({
    ...{ metadata: { name: "x" } },
    ...parse(`{${fields}}`),
    ...{ apiVersion, kind },
  });
  const found = findOneWayFields(object(recorded), object(live));
  expect(found.map(({ path }) => path.text)).toEqual(stays);
  expect(found.every(({ path }) => path.steps !== undefined)).toBe(true);
});
