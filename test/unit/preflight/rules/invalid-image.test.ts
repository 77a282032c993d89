import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { knownAfterDeploy } from "../../../../src/model/apply-time-reference.ts";
import { invalidImage } from "../../../../src/preflight/rules/invalid-image.ts";
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
