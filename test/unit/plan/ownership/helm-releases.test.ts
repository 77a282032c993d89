import { expect, test } from "vitest";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { Change } from "../../../../src/model/plan/plan.ts";
import { helmReleaseNotices } from "../../../../src/plan/ownership/helm-releases.ts";

const settings = (annotations: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "shop", annotations },
});

const ofHelm = (name: string) => ({
  "meta.helm.sh/release-name": name,
  "meta.helm.sh/release-namespace": "shop",
});

function change(live: KubeObject, desired: KubeObject, action = "update"): Change {
  const id = {
    apiVersion: "v1",
    group: "",
    kind: "ConfigMap",
    namespace: "shop",
    name: "settings",
  };
  return { id, action, live, desired, predicted: undefined } as unknown as Change;
}

test("objects that leave a release of Helm are named with the command that deletes its record", () => {
  const taken = change(settings(ofHelm("web")), settings({}));
  expect(helmReleaseNotices([taken, taken])).toMatchObject([
    {
      code: "helm-release",
      what: "Helm's release web in the namespace shop still records 2 objects of this deployment",
      fix: expect.stringContaining("helm get manifest -n shop web"),
      otherwise: [expect.stringContaining("kubectl delete secret -n shop -l owner=helm,name=web")],
    },
  ]);
});

test.each([
  ["keep Helm's annotations", change(settings(ofHelm("web")), settings(ofHelm("web")))],
  ["don't change", change(settings(ofHelm("web")), settings({}), "unchanged")],
  ["never belonged to Helm", change(settings({}), settings({}))],
  ["name no valid release", change(settings(ofHelm("web; rm -rf ~")), settings({}))],
])("there is no notice for objects that %s", (_, unaffected) => {
  expect(helmReleaseNotices([unaffected])).toEqual([]);
});
