import { expect, test } from "vitest";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { useShopAction } from "../../support/shop/shop-action.ts";

/**
 * Tests pull requests that change several deployments, of which one depends on another. The preview
 * of the dependent one must match its deployment.
 */
const cluster = useCluster();
const action = useShopAction(cluster);
const { github } = action;

/** Returns a platform with a namespace, a kind and additional resources. */
function platform(namespace: string, spec: string, more: string) {
  const group = `${namespace}.example`;
  return `package platform

DesignPattern: resources: app: {
	namespace: {provider: "kubernetes", apiVersion: "v1", kind: "Namespace", metadata: name: "${namespace}"}
	gadgets: {
		provider: "kubernetes", apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition"
		metadata: name: "gadgets.${group}"
		spec: {
			group: "${group}", scope: "Namespaced"
			names: {kind: "Gadget", plural: "gadgets", singular: "gadget", listKind: "GadgetList"}
			versions: [{name: "v1", served: true, storage: true, schema: openAPIV3Schema: {
				type: "object", properties: spec: {type: "object", properties: ${spec}}
			}}]
		}
	}
	${more}
}
`;
}

/** Returns an application that uses the platform. */
function application(
  namespace: string,
  { spec = "size: 2", image = "worker:1", more = "" }: Partial<Record<string, string>> = {},
) {
  return `package application

DesignPattern: resources: app: {
	gadget: {
		provider: "kubernetes", apiVersion: "${namespace}.example/v1", kind: "Gadget"
		metadata: {name: "main", namespace: "${namespace}"}
		spec: {${spec}}
	}
	worker: {
		provider: "kubernetes", apiVersion: "apps/v1", kind: "Deployment"
		metadata: {name: "worker", namespace: "${namespace}"}
		spec: {
			selector: matchLabels: app: "worker"
			template: {
				metadata: labels: app: "worker"
				spec: containers: [{
					name: "worker", image: "${image}"
					envFrom: [{configMapRef: name: "shared"}]
					resources: limits: memory: "1Gi"
				}]
			}
		}
	}
	${more}
}
`;
}

const sizeOf = (more = "") => `{size: {type: "integer", minimum: 1, default: 1}${more}}`;

const object = (namespace: string, name: string) =>
  `${name}: {provider: "kubernetes", apiVersion: "v1", kind: "ConfigMap", metadata: {name: "${name}", namespace: "${namespace}"}, data: A: "1"}\n`;

const limits = (namespace: string) =>
  `limits: {provider: "kubernetes", apiVersion: "v1", kind: "LimitRange", metadata: {name: "limits", namespace: "${namespace}"}, spec: limits: [{type: "Container", max: memory: "512Mi"}]}\n`;

function configOf(pattern: string): string {
  return JSON.stringify({
    modules: [{ name: "shop.example/adapters", local: { path: "../adapters" } }],
    designPatterns: [{ pattern: `shop.example/adapters/${pattern}` }],
  });
}

/**
 * Creates a repository with a deployed shop. Pull requests add the platform and the application.
 */
async function repositoryWith() {
  const own = await cluster.namespace("together");
  const namespace = `${own}-new`;
  const shop = action.shopIn(own);
  shop.commitParams({ version: "1", greeting: "hello" });
  shop.commitFile(".valuestream/platform.yaml", configOf("platform"));
  let main = shop.commitFile(".valuestream/application.yaml", configOf("application"));
  const list = JSON.stringify({
    deployments: [
      { name: "shop", config: "qvs.yaml", params: ["../params.yaml"], namespace: own },
      { name: "platform", config: "platform.yaml", namespace: own },
      { name: "application", config: "application.yaml", namespace, dependsOn: ["platform"] },
    ],
  });
  const running = await action.push(shop, "0".repeat(40), main, { "approved-plan": "off" });
  expect(running.exitCode, running.log).toBeUndefined();
  let head = main;
  const preview = async (number: number, change: () => string) => {
    shop.branch(`pr-${number}`);
    head = change();
    const previewed = await action.preview(shop, number, main, head);
    return { ...previewed, comment: commentOf(number) };
  };
  const merge = async (number: number) => {
    const before = main;
    main = action.merge(shop, number, head, `pr-${number}`);
    return action.push(shop, before, main, { "approved-plan": "require" });
  };
  return {
    namespace,
    preview,
    merge,
    checkout: () => shop.checkout("main"),
    write: (
      platformText: string,
      applicationText: string,
      others: Readonly<Record<string, string>> = {},
    ) =>
      shop.commitFiles({
        ...others,
        "adapters/platform/main.cue": platformText,
        "adapters/application/main.cue": applicationText,
        ".valuestream/deployments.yaml": list,
      }),
    /**
     * Previews and merges a pull request that must not be blocked. The deployment must match the
     * preview. Returns the comment.
     */
    async merged(number: number, change: () => string): Promise<string> {
      const previewed = await preview(number, change);
      expect(previewed.exitCode, previewed.log).toBeUndefined();
      const deployed = await merge(number);
      expect(deployed.exitCode, deployed.log).toBeUndefined();
      return previewed.comment;
    },
  };
}

test("the objects of an upstream deployment exist for its dependents", async () => {
  const { preview, merged, write, checkout, namespace } = await repositoryWith();
  const shared = object(namespace, "shared");
  const platformAs = (more: string, size = sizeOf()) => platform(namespace, size, shared + more);

  const wrong = await preview(6, () =>
    write(platformAs(""), application(namespace, { spec: "size: 0" })),
  );
  expect(wrong.exitCode, wrong.log).toBe(1);
  expect(wrong.comment).toContain("spec.size must be at least 1");
  checkout();

  // Neither the namespace of its releases nor the kind exists yet.
  const first = await merged(7, () => write(platformAs(""), application(namespace)));
  expect(first).toContain("## 🟢 Ready · 2 deployments");
  expect(first).toContain(
    `Namespace ${namespace} is created by the deployment platform, which runs first`,
  );

  // According to the current schema, the field is unknown.
  const grown = sizeOf(', color: {type: "string"}');
  const second = await merged(8, () =>
    write(platformAs("", grown), application(namespace, { spec: 'size: 2, color: "red"' })),
  );
  expect(second).toContain("## 🟢 Ready · 2 deployments");
  expect(second).toContain(
    "is changed by the deployment platform, which runs first**<br>from adapter `adapters/application`",
  );

  // The Pod's limit is above the maximum that is added.
  const tight = await preview(9, () =>
    write(platformAs(limits(namespace)), application(namespace, { image: "worker:2" })),
  );
  expect(tight.exitCode, tight.log).toBe(1);
  expect(tight.comment).toContain(
    `Blocked: \`application\` would fail at \`Deployment ${namespace}/worker\`: Pods can't run`,
  );
  expect(tight.comment).toContain("maximum memory usage per Container is 512Mi, but limit is 1Gi");
  expect(tight.comment).not.toContain("Not caused by this pull request");
  checkout();
});

test("a chart sees the kinds that an upstream deployment defines", async () => {
  const { merged, write, namespace } = await repositoryWith();
  const config = JSON.parse(configOf("application"));
  const chart = { helm: { chart: "../charts/kinds", release: "kinds" } };
  const others = {
    ".valuestream/application.yaml": JSON.stringify({
      ...config,
      designPatterns: [...config.designPatterns, chart],
    }),
    "charts/kinds/Chart.yaml": "{apiVersion: v2, name: kinds, version: 1.0.0}",
    "charts/kinds/templates/kinds.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: "gadgets-{{ .Capabilities.APIVersions.Has "${namespace}.example/v1/Gadget" }}"}
`,
  };
  const shared = object(namespace, "shared");
  // The deployment requires exactly the plan of the preview.
  const comment = await merged(7, () =>
    write(platform(namespace, sizeOf(), shared), application(namespace), others),
  );
  expect(comment).toContain(`ConfigMap ${namespace}/gadgets-true`);
  expect(comment).not.toContain("asks for the version or the APIs");
});

test("an object that moves to a dependent deployment is deleted, then created", async () => {
  const { merged, write, namespace } = await repositoryWith();
  const shared = object(namespace, "shared");
  const both = shared + object(namespace, "moves");
  await merged(7, () => write(platform(namespace, sizeOf(), both), application(namespace)));
  const uid = await uidOf(namespace, "moves");
  const comment = await merged(8, () =>
    write(
      platform(namespace, sizeOf(), shared),
      application(namespace, { more: object(namespace, "moves") }),
    ),
  );
  expect(comment).toContain(`delete <code>ConfigMap ${namespace}/moves</code>`);
  expect(comment).toContain(
    "the live object is deleted by the deployment platform, which runs first",
  );
  expect(await uidOf(namespace, "moves")).not.toBe(uid);
});

test("dependents of a deployment that would fail aren't deployed, and the comment shows it", async () => {
  const { preview, merge, write, namespace } = await repositoryWith();
  const shared = object(namespace, "shared");
  const impossible = object("not-there", "lost");
  const found = await preview(7, () =>
    write(platform(namespace, sizeOf(), shared + impossible), application(namespace)),
  );
  expect(found.exitCode, found.log).toBe(1);
  expect(found.comment).toMatch(heldBack);
  expect(found.comment).toContain("`application` waits for it and isn't deployed either.");
  expect(found.comment).toContain("This deployment waits for `platform`, which won't succeed.");
  const deployed = await merge(7);
  expect(deployed.exitCode, deployed.log).toBe(1);
  expect(deployed.summary).toContain("application");
  const broken = await preview(8, () =>
    write(
      platform(namespace, sizeOf(), "broken: {"),
      application(namespace, { image: "worker:2" }),
    ),
  );
  expect(broken.comment).toMatch(heldBack);
  expect(broken.comment).toContain(
    "qvs has no plan of the deployment platform, which is deployed first",
  );
  expect(await cluster.kubectl("get", "namespace", namespace, "--ignore-not-found")).toBe("");
});

test("a job keeps an object that a deployment of another job declares", async () => {
  const own = await cluster.namespace("moved");
  const shop = action.shopIn(own);
  const manifests = (...names: readonly string[]) =>
    names
      .map((name) => `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}}\n---\n`)
      .join("");
  const config = (file: string) => `designPatterns: [{manifests: ../${file}.yaml}]`;
  const list = ["first", "second"].map((name) => ({
    name,
    config: `${name}.yaml`,
    namespace: own,
  }));
  const main = shop.commitFiles({
    ".valuestream/first.yaml": config("first"),
    ".valuestream/second.yaml": config("second"),
    ".valuestream/deployments.yaml": JSON.stringify({ deployments: list }),
    "first.yaml": manifests("stays", "moves"),
    "second.yaml": manifests("other"),
  });
  const deployed = await action.push(shop, "0".repeat(40), main, { "approved-plan": "off" });
  expect(deployed.exitCode, deployed.log).toBeUndefined();
  const uid = await uidOf(own, "moves");

  shop.branch("pr-21");
  const head = shop.commitFiles({
    "first.yaml": manifests("stays"),
    "second.yaml": manifests("other", "moves"),
  });
  await action.preview(shop, 21, main, head);
  expect(commentOf(21)).toContain("the deployment second declares it");
  const merged = action.merge(shop, 21, head, "pr-21");
  const inputs = { "approved-plan": "off", deployment: "first" };
  const job = await action.push(shop, main, merged, inputs);
  expect(job.exitCode, job.log).toBeUndefined();
  expect(await uidOf(own, "moves")).toBe(uid);
});

const heldBack = /^## 🛑 Blocked: `platform`.* · 2 deployments: 1 blocked, 1 waiting$/m;

function commentOf(number: number): string {
  return github().state.comments.find((each) => each.issue === number)?.body ?? "";
}

function uidOf(namespace: string, name: string): Promise<string> {
  return cluster.kubectl(
    "get",
    "configmap",
    name,
    "-n",
    namespace,
    "-o",
    "jsonpath={.metadata.uid}",
  );
}
