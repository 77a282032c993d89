import { expect, test } from "vitest";
import { compileDeployment } from "../../../../src/sources/compile-deployment.ts";
import { refused } from "../../../support/fake-cluster.ts";
import { GitFixture } from "../../../support/git/git-fixture.ts";
import {
  asking,
  definition,
  has,
  noApis,
  type Repository,
  server,
  thing,
  useAskingCharts,
} from "../../../support/shop/asking-charts.ts";
import { plainDeployment } from "../../../support/shop/plain-deployment.ts";
import { useWorlds } from "../../../support/shop/shop-world.ts";
import { lines } from "../../config/result-text.ts";

const openShop = useWorlds();
const rendered = useAskingCharts();

test("a chart that asks nothing has no answers, whatever the cluster answers", async () => {
  const apis = refused("forbidden", 403, "no discovery");
  expect(await rendered(asking(".Release.Name"), server({ apis, version: apis }))).toBe(
    "configmap/is-web",
  );
  expect(await rendered(asking(".Release.Name"), undefined)).toBe("configmap/is-web");
});

test("a chart gets the answers of the cluster, and only its questions are listed", async () => {
  const template = asking(
    ...[".Capabilities.KubeVersion.Minor", has("a.example/v1/Thing"), has("apps/v1")],
  );
  expect(await rendered(template, server())).toBe(lines`
    configmap/is-35-true-false
    a.example/v1/Thing: served
    apps/v1: absent
    kubeVersion: v1.35.2-gke.1`);
});

test("without a cluster, a notice lists the questions and the assumptions", async () => {
  const template = asking(
    ...[".Capabilities.KubeVersion.Minor", has("a.example/v1/Thing"), has("apps/v1")],
  );
  expect(await rendered(template, undefined)).toBe(lines`
    configmap/is-37-false-true
    Chart "chart" asks for the version or the APIs of the cluster
    assumed version: v1.37.0
    assumed absent: a.example/v1/Thing
    assumed served: apps/v1`);
  expect(await rendered(template, undefined, { kubernetes: "1.32" })).toContain("is-32-false-true");
});

test("the entry of the config decides before the cluster, one by one", async () => {
  const template = asking(".Capabilities.KubeVersion.Minor", has("a.example/v1/Thing"));
  const both = { entry: ', kubeVersion: "1.30", apiVersions: []' };
  expect(await rendered(template, server(), both)).toBe("configmap/is-30-false");
  expect(await rendered(template, undefined, both)).toBe("configmap/is-30-false");
  const version = { entry: ', kubeVersion: "1.30"' };
  expect(await rendered(template, server(), version)).toBe(lines`
    configmap/is-30-true
    a.example/v1/Thing: served`);
});

const other = { group: "b.example", version: "v1", kind: "Other", plural: "others" };
const asksOther = asking(has("b.example/v1/Other"), has("b.example/v1"));

test.each<readonly [string, Repository]>([
  ["crds/ of the chart", { files: { "chart/crds/other.yaml": definition(other) } }],
  [
    "another entry after it",
    { files: { "crds/other.yaml": definition(other) }, more: "  - {manifests: crds}\n" },
  ],
  [
    "an adapter",
    {
      more: "  - {pattern: shop.example/adapters/kinds}\nmodules: [{name: shop.example/adapters, local: {path: adapters}}]\n",
      files: {
        "adapters/cue.mod/module.cue": `module: "shop.example/adapters"\nlanguage: version: "v0.12.0"\n`,
        "adapters/kinds/kinds.cue": `package kinds

DesignPattern: resources: appSetup: others: {
	provider: "kubernetes", apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition"
	metadata: name: "others.b.example"
	spec: {group: "b.example", scope: "Namespaced", names: {kind: "Other", plural: "others"}
		versions: [{name: "v1", served: true, storage: true}]}
}
`,
      },
    },
  ],
])("a chart sees the kinds that the deployment defines in %s", async (_, files) => {
  expect(await rendered(asksOther, server(), files)).toContain("configmap/is-true-true");
  const without = await rendered(asksOther, undefined, files);
  expect(without).toContain("configmap/is-true-true");
});

test("a chart that fails without a kind sees the kinds of another entry", async () => {
  const template = `{{ if not (${has("b.example/v1/Other")}) }}{{ fail "needs b.example/v1" }}{{ end }}${asking(".Release.Name")}`;
  const files = { "crds/other.yaml": definition(other) };
  expect(await rendered(template, server(), { files, more: "  - {manifests: crds}\n" })).toContain(
    "configmap/is-web",
  );
  const failing = await rendered(template, undefined);
  expect(failing).toContain("needs b.example/v1");
  expect(failing).toContain("assumed absent: b.example/v1/Other");
});

test("a chart doesn't see a kind whose definition the deployment deletes", async () => {
  const template = asking(has("a.example/v1/Thing"));
  expect(await rendered(template, server({ own: ["things.a.example"] }))).toBe(lines`
    configmap/is-false
    a.example/v1/Thing: absent`);
  const files = { "crds/thing.yaml": definition(thing) };
  const kept = { files, more: "  - {manifests: crds}\n" };
  expect(await rendered(template, server({ own: ["things.a.example"] }), kept)).toContain(
    "configmap/is-true",
  );
});

test("a kind that the list doesn't contain yet is served", async () => {
  const late = { ok: true, value: true } as const;
  expect(await rendered(asking(has("a.example/v1/Thing")), server({ ...noApis, late }))).toBe(
    lines`
    configmap/is-true
    a.example/v1/Thing: served`,
  );
});

test("an unanswered question isn't a no", async () => {
  const down = refused("other", 503, "the server is currently unable to handle the request");
  const question = asking(has("metrics.k8s.io/v1beta1/PodMetrics"));
  expect(await rendered(question, server({ ...noApis, late: down }))).toContain(
    "unanswered: qvs can't find out whether the API server serves PodMetrics of metrics.k8s.io/v1beta1",
  );
  const forbidden = refused("forbidden", 403, "no discovery");
  expect(await rendered(question, server({ apis: forbidden }))).toContain(
    "unanswered: qvs can't read the APIs that the API server serves",
  );
  expect(
    await rendered(asking(".Capabilities.KubeVersion.Minor"), server({ version: forbidden })),
  ).toContain("unanswered: qvs can't read the version of the API server");
  const partly = { kinds: [], names: [], unreadable: ["metrics.k8s.io/v1beta1"] };
  const all = asking("len .Capabilities.APIVersions");
  expect(await rendered(all, server({ apis: { ok: true, value: partly } }))).toContain(
    "unanswered: qvs can't find out whether the API server serves kinds of metrics.k8s.io/v1beta1",
  );
});

test("a chart that defines a kind only if it is absent is an error", async () => {
  const template = `{{ if not (${has("b.example/v1/Other")}) }}\n${definition(other)}{{ end }}`;
  for (const cluster of [undefined, server(), server({ own: ["others.b.example"] })]) {
    expect(await rendered(template, cluster)).toContain(
      "A chart defines an API only if the cluster doesn't serve it",
    );
  }
  expect(await rendered(template, server(), { entry: ", apiVersions: []" })).toContain(
    "others.b.example",
  );
});

test("a value from the command line in a question is hidden", async () => {
  const git = new GitFixture();
  git.commit({
    "qvs.yaml": `params: [{name: group, type: string}]
designPatterns:
  - helm: {chart: chart, release: web, set: {group: $(params.group)}}
`,
    "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
    "chart/templates/a.yaml": `{{ .Capabilities.APIVersions.Has .Values.group }}\n${asking(".Release.Name")}`,
  });
  const { source } = await openShop(git.directory);
  const inline = ["group=hunter2.example/v1"];
  const compiled = await compileDeployment(
    source,
    plainDeployment(),
    inline,
    "deploy",
    {},
    undefined,
  );
  expect(JSON.stringify(compiled.ok && compiled.value.compilation.warnings)).not.toContain(
    "hunter2",
  );
});
