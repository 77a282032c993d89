import { expect, test } from "vitest";
import { renderLayout } from "../../../src/report/trace/render-layout.ts";
import { compileDeployment } from "../../../src/sources/compile-deployment.ts";
import { GitFixture } from "../../support/git/git-fixture.ts";
import { useWorlds } from "../../support/shop/shop-world.ts";
import { lines, resultText } from "../config/result-text.ts";

const openShop = useWorlds();

const deployment = `{
  "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
  "spec": {
    "replicas": "$(params.replicas)",
    "template": {"spec": {"containers": [{"name": "web", "image": "web:1"}]}}
  }
}`;

const config = (entries: string) => `params: [{name: replicas, type: int}]
modules: [{name: shop.example/adapters, local: {path: ../adapters}}]
designPatterns:
  - manifests: ../k8s
    namespace: shop
${entries}`;

/** Compiles the Deployment of `k8s/` with an adapter that declares `resources`. */
async function compile(entries: string, resources: string, files = {}) {
  const git = new GitFixture();
  git.commit({
    ".valuestream/qvs.yaml": config(entries),
    ".valuestream/params.yaml": "replicas: 2\n",
    "k8s/web.json": deployment,
    "adapters/cue.mod/module.cue":
      'module: "shop.example/adapters"\nlanguage: version: "v0.12.0"\n',
    "adapters/add/add.cue": `package add\n\nDesignPattern: ${resources}\n`,
    ...files,
  });
  const world = await openShop(git.directory);
  const options = {
    name: "shop",
    config: ".valuestream/qvs.yaml",
    params: [".valuestream/params.yaml"],
  };
  const shop = { ...options, namespace: "default", dependsOn: [] } as never;
  return compileDeployment(world.source, shop, [], "deploy", { trace: true });
}

async function compiled(entries: string, resources: string, files = {}): Promise<string> {
  return resultText(await compile(entries, resources, files), ({ compilation }) =>
    compilation.resources
      .map((each) => {
        const where = each.type === "manifest" ? each.where : undefined;
        const content = each.type === "manifest" ? each.object : each.content;
        return `${each.stage}/${each.id} ${where?.file}:${where?.line} ${JSON.stringify(content)}`;
      })
      .join("\n"),
  );
}

const add = "  - pattern: shop.example/adapters/add\n";

test("an adapter adds fields to an object of a file by its id", async () => {
  const found = await compiled(
    add,
    '{resources: app: "deployment/shop/web": {metadata: labels: team: "web", spec: template: spec: containers: [{env: [{name: "A", value: "1"}]}]}}',
  );
  expect(found).toBe(
    'app/deployment/shop/web k8s/web.json:1 {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"labels":{"team":"web"},"name":"web","namespace":"shop"},"spec":{"replicas":2,"template":{"spec":{"containers":[{"env":[{"name":"A","value":"1"}],"name":"web","image":"web:1"}]}}}}',
  );
});

test("a conflict with an adapter names both places", async () => {
  const found = await compiled(add, '{resources: app: "deployment/shop/web": spec: replicas: 3}');
  expect(found).toBe(lines`
    k8s/web.json:4:17: Resource app/deployment/shop/web: spec.replicas has two different values
      and .valuestream/params.yaml:1:11
      and adapters/add/add.cue:3:72
      values: 2 and 3
      set by: "manifests: ../k8s" and "shop.example/adapters/add"
      → Change the parameter that one of the values comes from
        or change the adapter`);
});

test("an object of an adapter and of a file under different ids is an error with both places", async () => {
  const found = await compiled(
    add,
    '{resources: app: web: {apiVersion: "apps/v1", kind: "Deployment", metadata: {name: "web", namespace: "shop"}}}',
  );
  expect(found).toBe(lines`
    k8s/web.json:1:1: Deployment shop/web is declared by 2 resources
      and adapters/add/add.cue:3:33
      resources: app/deployment/shop/web, app/web
      → Give them one resource id, so that qvs unifies them
        or give the objects different names`);
});

test("the layout names the file and the line of each field", async () => {
  const found = await compile("", "{}");
  const text = resultText(found, ({ compilation }) => renderLayout(compilation));
  expect(text.slice(text.indexOf("composites:"))).toBe(
    `${lines`
    composites:
      - pattern: "manifests: ../k8s"
        written: .valuestream/qvs.yaml:4:16
        used: .valuestream/qvs.yaml:4:16
        from:
          replicas: k8s/web.json:4:18 ← replicas
        resources:
          app/deployment/shop/web:
            apiVersion: k8s/web.json:2:17
            kind: k8s/web.json:2:36
            metadata.name: k8s/web.json:2:71
            metadata.namespace: .valuestream/qvs.yaml:5:16
            spec.replicas: k8s/web.json:4:17 ← replicas
            spec.template.spec.containers[0].name: k8s/web.json:5:51
            spec.template.spec.containers[0].image: k8s/web.json:5:67`}\n`,
  );
});

test("the compilation names every file that it read", async () => {
  const found = await compile(add, "{}", { "k8s/empty.yaml": "# nothing\n" });
  const text = resultText(found, ({ compilation }) => compilation.inputs.join("\n"));
  expect(text).toBe(lines`
    .valuestream/params.yaml
    .valuestream/qvs.yaml
    adapters/add/add.cue
    adapters/cue.mod/module.cue
    k8s/empty.yaml
    k8s/web.json`);
});
