import { expect, test } from "vitest";
import { refused } from "../../../support/fake-cluster.ts";
import {
  asking,
  definition,
  has,
  type Repository,
  server,
  useAskingCharts,
} from "../../../support/shop/asking-charts.ts";

const rendered = useAskingCharts();

const other = { group: "b.example", version: "v1", kind: "Other", plural: "others" };

/** Returns a config with an adapter that defines `other`. */
const adapter: Repository = {
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
};

test("a chart that fails because of the kind of an adapter shows its own error", async () => {
  const condition = has("b.example/v1/Other");
  for (const [test, message] of [
    [condition, "needs no Other"],
    [`not (${condition})`, "needs Other"],
  ]) {
    const failing = `{{ if ${test} }}{{ fail "${message}" }}{{ end }}${asking(condition)}`;
    for (const cluster of [undefined, server()]) {
      const result = await rendered(failing, cluster, adapter);
      expect(result).toContain(message);
      expect(result).not.toContain("A chart defines an API");
    }
  }
});

test("a chart sees a kind that a chart which isn't locked can define", async () => {
  const web = `package kinds

DesignPattern: resources: app: web: {
	provider: "kubernetes-helm", chart: "web", version: "1.0.0", fetchOpts: repo: "https://c.example"
}
`;
  const files = { ...adapter.files, "adapters/kinds/kinds.cue": web };
  const cluster = server({ own: ["things.a.example"] });
  const repository = { ...adapter, files };
  expect(await rendered(asking(has("a.example/v1/Thing")), cluster, repository)).toContain(
    "configmap/is-true",
  );
});

test("an error of another chart isn't hidden by the kinds that it defines", async () => {
  const result = await rendered(asking(has("b.example/v1/Other")), server(), {
    more: "  - {helm: {chart: broken, release: broken}}\n",
    files: {
      "broken/Chart.yaml": "apiVersion: v2\nname: broken\nversion: 1.0.0\n",
      "broken/templates/a.yaml": `${definition(other)}---\n{{ if ${has("a.example/v1/Thing")} }}{{ fail "broken chart" }}{{ end }}\n`,
      "crds/other.yaml": definition(other),
    },
  });
  expect(result).toContain("broken chart");
  expect(result).not.toContain("A chart defines an API");
});

test("a chart that fails without a kind sees its own definition in crds/", async () => {
  const failing = `{{ if not (${has("b.example/v1/Other")}) }}{{ fail "needs Other" }}{{ end }}${asking(".Release.Name")}`;
  const files = { "chart/crds/other.yaml": definition(other) };
  for (const cluster of [undefined, server()])
    expect(await rendered(failing, cluster, { files })).toContain("configmap/is-web");
  // The entry leaves out crds/.
  expect(await rendered(failing, server(), { files, entry: ", crds: false" })).toContain(
    "needs Other",
  );
});

/** Returns a chart that defines a kind if the cluster serves the kind before it. */
function link(index: number): readonly [string, string][] {
  const kind = { group: `g${index}.example`, version: "v1", kind: "Link", plural: "links" };
  const before = has(`g${index - 1}.example/v1/Link`);
  const text =
    index === 0 ? definition(kind) : `{{ if ${before} }}\n${definition(kind)}{{ end }}\n`;
  return [
    [`c${index}/Chart.yaml`, `apiVersion: v2\nname: c${index}\nversion: 1.0.0\n`],
    [`c${index}/templates/a.yaml`, text],
  ];
}

test("each chart of a chain sees the kind that the one after it defines", async () => {
  const indexes = [5, 4, 3, 2, 1, 0];
  const more = indexes
    .map((index) => `  - {helm: {chart: c${index}, release: c${index}}}\n`)
    .join("");
  const files = Object.fromEntries(indexes.flatMap(link));
  const template = asking(has("g5.example/v1/Link"));
  expect(await rendered(template, server(), { more, files })).toContain("configmap/is-true");
  expect(await rendered(template, undefined, { more, files })).toContain("configmap/is-true");
});

test("a contradiction names the chart and its question", async () => {
  const template = `{{ if not (${has("b.example/v1/Other")}) }}\n${definition(other)}{{ end }}`;
  const result = await rendered(template, server(), {
    more: "  - {helm: {chart: innocent, release: innocent}}\n",
    files: {
      "innocent/Chart.yaml": "apiVersion: v2\nname: innocent\nversion: 1.0.0\n",
      "innocent/templates/a.yaml": asking(has("a.example/v1/Thing")),
    },
  });
  expect(result).toContain("qvs.yaml:2");
  expect(result).not.toContain("qvs.yaml:3");
  expect(result).toContain("chart: chart");
  expect(result).toContain("asked: b.example/v1/Other");
});

const limited = {
  files: {
    "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\nkubeVersion: '>=1.36.0-0'\n",
  },
};

test("a limit of the version in Chart.yaml is no answer, and causes no notice", async () => {
  const version = { ok: true, value: { major: 1, minor: 36, full: "v1.36.1" } } as const;
  const template = asking(".Release.Name");
  expect(await rendered(template, server({ version }), limited)).toBe("configmap/is-web");
  expect(await rendered(template, undefined, limited)).toBe("configmap/is-web");
});

test("a limit of the version in Chart.yaml is checked with the version of the cluster", async () => {
  const template = asking(".Release.Name");
  expect(await rendered(template, server(), limited)).toContain("requires kubeVersion");
  const assumed = await rendered(template, undefined, { ...limited, kubernetes: "1.32" });
  expect(assumed).toContain("requires kubeVersion");
  expect(assumed).toContain("assumed version: v1.32.0");
  const version = refused("forbidden", 403, "no version");
  expect(await rendered(template, server({ version }), limited)).toContain(
    "unanswered: qvs can't read the version of the API server",
  );
});

test("a chart without an open question doesn't read the cluster", async () => {
  const source = {
    ...server(),
    read: async () => {
      throw new Error("This chart asks nothing.");
    },
  };
  const entry = ', kubeVersion: "1.30", apiVersions: []';
  expect(await rendered(asking(has("a.example/v1/Thing")), source, { entry })).toBe(
    "configmap/is-false",
  );
});
