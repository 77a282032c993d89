import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { knownAfterDeploy } from "../../../../src/model/plan/apply-time-reference.ts";
import { imageNameError, invalidImage } from "../../../../src/preflight/rules/invalid-image.ts";
import { requirePlan, type Situation } from "../../../support/plan/plan-text.ts";
import { noFacts, withPods } from "./run-rule.ts";

describe("an invalid image name", () => {
  const found = (situation: Situation) =>
    invalidImage({
      plan: requirePlan(situation),
      facts: noFacts,
      releases: { declared: new Set() },
      placeOf: () => undefined,
    }).map(({ severity, what, path }) => [severity, what, path?.join(".")]);
  const pods = (image: string) => withPods(`containers: [{name: web, image: "${image}"}]`);
  const at = "spec.template.spec.containers.0.image";

  test("is an error at its field", () => {
    const what = 'Deployment shop/web: no node can pull "Web:1"';
    expect(found({ declared: pods("Web:1") })).toEqual([["error", what, at]]);
  });

  test("is reported again after a failed deployment", () => {
    const changed = pods("Web:1").replace("app: web", "app: shop");
    const what = 'Deployment shop/web: no node can pull "Web:1"';
    expect(found({ before: pods("Web:1"), declared: changed })).toEqual([["error", what, at]]);
  });

  test("is a warning if old Pods keep running until they are deleted manually", () => {
    const set = (image: string) =>
      pods(image)
        .replace("kind: Deployment", "kind: StatefulSet")
        .replace("spec:", "spec:\n    updateStrategy: {type: OnDelete}");
    const [[severity] = []] = found({ before: set("web:1"), declared: set("Web:2") });
    expect(severity).toBe("warning");
  });

  test("isn't reported if admission replaces the image or the object creates no Pods", () => {
    const plan = requirePlan({ declared: pods("Web:1") });
    const pod = parse(
      "{apiVersion: v1, kind: Pod, metadata: {}, spec: {containers: [{name: web, image: web}]}}",
    );
    const samplePods = new Map([["apps:Deployment::shop/web", { ok: true, value: pod } as const]]);
    const facts = { ...noFacts, samplePods };
    const releases = { declared: new Set<string>() };
    expect(invalidImage({ plan, facts, releases, placeOf: () => undefined })).toEqual([]);
    const template =
      "app/web: {apiVersion: v1, kind: PodTemplate, metadata: {name: web}, template: {spec: {containers: [{name: web, image: Web}]}}}";
    expect(found({ declared: template })).toEqual([]);
  });

  test.each([
    ["of an idle workload", pods("Web:1").replace("spec:", "spec:\n    replicas: 0"), "warning"],
    ["with a name known after deploy", pods(`web:${knownAfterDeploy}`), undefined],
    ["that the API server rejects in every Pod", pods(" "), undefined],
    ["that is valid", pods("registry.example/team/web:1"), undefined],
  ])("%s: %#", (_, declared, severity) => {
    expect(found({ declared }).map(([first]) => first)).toEqual(
      severity === undefined ? [] : [severity],
    );
  });
});

/*
 * Compared with github.com/distribution/reference, the parser of the kubelet, for 800,000 texts of
 * such parts with one or two changed characters: the verdicts were the same. These are examples of
 * each kind.
 */
const hex = "0123456789abcdef".repeat(4);

describe("nodes can parse", () => {
  test.each([
    "nginx",
    "nginx:1.29",
    "library/nginx:Tag_1.0-x",
    "registry.example:5000/team/web:1.2.3",
    "localhost/a/b",
    "localhost:5000/a",
    "[2001:db8::1]:5000/a",
    "Registry.Example/web",
    "Foo/bar",
    "a--b__c.d_e/f0",
    `web@sha256:${hex}`,
    `ghcr.io/acme/web:1@sha256:${hex}`,
    `web@sha512:${hex}${hex}`,
    `${hex}/a`,
    `${"a".repeat(247)}`,
    `registry.example/${"a".repeat(255)}`,
  ])("%s", (image) => {
    expect(imageNameError(image)).toBeUndefined();
  });
});

describe("no node can parse", () => {
  const form = "it doesn't have the form [registry[:port]/]name[:tag][@digest]";
  const capitals = "its repository name contains uppercase letters";
  const digest = "its digest isn't a complete sha256, sha384 or sha512 digest in lowercase";
  const long = "its repository name has more than 255 characters";
  test.each([
    ["nginx 1.29", "it contains a space"],
    ["nginx:1.29\n", "it contains a space"],
    ["Nginx", capitals],
    ["registry.example/Team/web:1", capitals],
    ["team/Web", capitals],
    ["https://registry.example/web", "it is a URL"],
    ["web:", form],
    ["web:1:2", form],
    ["web@1.2", form],
    ["-web", form],
    ["a___b", form],
    ["team//web", form],
    ["/web", form],
    ["$(params.image)", form],
    [`web:${"1".repeat(129)}`, form],
    [hex, "it is an image ID without a repository name"],
    [`web@sha256:${hex.slice(1)}`, digest],
    [`web@sha256:${hex.toUpperCase()}`, digest],
    [`web@md5:${hex.slice(32)}`, digest],
    ["a".repeat(248), long],
    [`registry.example/${"a".repeat(256)}`, long],
  ])("%j: %s", (image, flaw) => {
    expect(imageNameError(image)).toBe(flaw);
  });
});
