import { expect, test } from "vitest";
import type { Result } from "../../../src/model/problems/problem.ts";
import {
  type CompiledDeployment,
  compileDeployment,
} from "../../../src/sources/compile-deployment.ts";
import { GitFixture } from "../../support/git/git-fixture.ts";
import { useWorlds } from "../../support/shop/shop-world.ts";
import { lines, resultText } from "../config/result-text.ts";

const openShop = useWorlds();

const files = {
  ".valuestream/qvs.yaml": `params: [{name: version, type: string}]
designPatterns:
  - helm:
      chart: ../charts/shop
      release: shop
      values: [../values.yaml]
      set: {image.tag: $(params.version)}
`,
  ".valuestream/params.yaml": 'version: "1.10"\n',
  "values.yaml": "replicas: 2\n",
  "charts/shop/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
  "charts/shop/values.yaml": "replicas: 1\nimage: {name: web}\n",
  "charts/shop/templates/web.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: "{{ .Release.Name }}-web"}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "{{ .Values.image.name }}:{{ .Values.image.tag }}"}]}
`,
};

/** Compiles the chart with some other files. A file without text doesn't exist. */
async function compile(
  others: Readonly<Record<string, string>> = {},
  inline: readonly string[] = [],
): Promise<Result<CompiledDeployment>> {
  const git = new GitFixture();
  git.commit({ ...files, ...others });
  const world = await openShop(git.directory);
  const deployment = {
    name: "shop",
    config: ".valuestream/qvs.yaml",
    params: [".valuestream/params.yaml"],
    namespace: "staging",
    dependsOn: [],
    environment: undefined,
  };
  return compileDeployment(world.source, deployment, inline, "deploy");
}

/** Lists each object with its place, or the problems. */
async function objects(others: Readonly<Record<string, string>> = {}): Promise<string> {
  return resultText(await compile(others), ({ compilation }) =>
    compilation.resources
      .map((each) => {
        const where = each.type === "manifest" ? each.where : undefined;
        const content = each.type === "manifest" ? each.object : each.content;
        return `${each.stage}/${each.id} ${where?.file} ${JSON.stringify(content)}`;
      })
      .join("\n"),
  );
}

test("a chart is rendered with its values files and with single values", async () => {
  expect(await objects()).toBe(
    'app/deployment/shop-web charts/shop/templates/web.yaml {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"shop-web"},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"web:1.10"}]}}}}',
  );
});

test("the compilation names every file of the chart and the values files", async () => {
  const text = resultText(await compile(), ({ compilation }) => compilation.inputs.join("\n"));
  expect(text).toBe(lines`
    .valuestream/params.yaml
    .valuestream/qvs.yaml
    charts/shop/Chart.yaml
    charts/shop/templates/web.yaml
    charts/shop/values.yaml
    values.yaml`);
});
