import { expect, test } from "vitest";
import { parse } from "yaml";
import {
  fieldDifferences,
  formatFieldPath,
} from "../../../../src/model/fields/field-differences.ts";
import { diffTextLines, diffValues } from "../../../../src/report/diff/text-diff.ts";

const kinds: Readonly<Record<string, string>> = {
  IngressRoute: "traefik.io/v1alpha1",
  VirtualService: "networking.istio.io/v1",
  EnvoyFilter: "networking.istio.io/v1alpha3",
  HTTPRoute: "gateway.networking.k8s.io/v1",
  Rollout: "argoproj.io/v1alpha1",
  Deployment: "apps/v1",
  Service: "v1",
  MutatingWebhookConfiguration: "admissionregistration.k8s.io/v1",
  ValidatingWebhookConfiguration: "admissionregistration.k8s.io/v1",
  HorizontalPodAutoscaler: "autoscaling/v2",
  CustomResourceDefinition: "apiextensions.k8s.io/v1",
};

/** Returns an object before and after two list items swap places and another field changes. */
function reordered(kind: string, path: string, items: string) {
  const [one, other] = parse(items) as readonly [object, object];
  const object = (list: readonly object[], size: number) => {
    const spec = path.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), list);
    return { apiVersion: kinds[kind], kind, other: size, ...(spec as object) };
  };
  return { before: object([one, other], 1), after: object([other, one], 2) } as never as {
    readonly before: Record<string, never>;
    readonly after: Record<string, never>;
  };
}

function edits(kind: string, path: string, items: string): readonly string[] {
  const { before, after } = reordered(kind, path, items);
  const lines = diffTextLines(diffValues(before, after)).filter((line) => /^[-+]/.test(line));
  return lines.filter((line) => !line.includes("other:"));
}

function fields(kind: string, path: string, items: string): readonly string[] {
  const { before, after } = reordered(kind, path, items);
  const names = fieldDifferences(before, after).map((each) => formatFieldPath(each.path));
  return names.filter((name) => name !== "other");
}

test.each([
  ["IngressRoute", "spec.middlewares", "[{name: auth}, {name: strip}]"],
  ["IngressRoute", "spec.routes", "[{kind: Rule, key: a}, {kind: Rule, key: b}]"],
  ["VirtualService", "spec.http", "[{name: canary}, {name: all}]"],
  ["EnvoyFilter", "spec.configPatches", "[{id: 1}, {id: 2}]"],
  ["HTTPRoute", "spec.rules.filters", "[{type: RequestRedirect}, {type: URLRewrite}]"],
  ["HTTPRoute", "spec.ports", "[{port: 1}, {port: 2}]"],
  ["Rollout", "spec.strategy.canary.steps", "[{name: a}, {name: b}]"],
  ["Rollout", "spec.template.spec.volumes", "[{name: a}, {name: b}]"],
  ["Deployment", "spec.template.spec.containers", "[{name: web}, {name: proxy}]"],
  ["Deployment", "spec.template.spec.initContainers", "[{name: web}, {name: proxy}]"],
  ["Deployment", "spec.template.spec.env", "[{name: A}, {name: B}]"],
  ["MutatingWebhookConfiguration", "webhooks", "[{name: a.b.c}, {name: b.b.c}]"],
  ["HorizontalPodAutoscaler", "spec.metrics", "[{type: Resource}, {type: Pods}]"],
  ["CustomResourceDefinition", "spec.versions", "[{name: v1}, {name: v2}]"],
])("a changed order in %s of %s is a change", (kind, path, items) => {
  expect(edits(kind, path, items).length).toBeGreaterThan(1);
  expect(fields(kind, path, items)).toEqual([path]);
});

test.each([
  ["Deployment", "spec.template.spec.volumes", "[{name: a}, {name: b}]"],
  ["Deployment", "spec.template.spec.volumeMounts", "[{mountPath: /a}, {mountPath: /b}]"],
  ["Deployment", "spec.template.spec.ports", "[{containerPort: 1}, {containerPort: 2}]"],
  ["Deployment", "spec.template.spec.imagePullSecrets", "[{name: a}, {name: b}]"],
  ["Service", "spec.ports", "[{port: 1, protocol: TCP}, {port: 1, protocol: UDP}]"],
  ["ValidatingWebhookConfiguration", "webhooks", "[{name: a.b.c}, {name: b.b.c}]"],
])(
  "a changed order in %s of %s, which the API server merges, isn't a change",
  (kind, path, items) => {
    expect(edits(kind, path, items)).toEqual([]);
    expect(fields(kind, path, items)).toEqual([]);
  },
);

test("an item added between unchanged items is the only change", () => {
  const of = (items: string) => ({ apiVersion: "traefik.io/v1alpha1", spec: { m: parse(items) } });
  const [before, after] = [of("[{name: a}, {name: b}]"), of("[{name: a}, {name: c}, {name: b}]")];
  const paths = fieldDifferences(before, after).map(({ path }) => formatFieldPath(path));
  expect(paths).toEqual(['spec.m[name="c"]']);
});
