import { expect, test } from "vitest";
import { parseDeployments } from "../../../src/config/parse-deployments.ts";
import {
  environmentDeployment,
  previewingDeployments,
} from "../../../src/config/preview/environment-deployment.ts";
import { textOf } from "../../../src/model/sources/yaml-node.ts";
import { numberPlaceholder as number } from "../../support/environments/environment-shop.ts";
import { lines, resultText } from "./result-text.ts";

/** Tests `preview` of deployments.yaml: docs/reference/deployments-yaml.md#preview */
const file = ".valuestream/deployments.yaml";

function problems(text: string): string {
  const found = resultText(parseDeployments(file, text), () => "valid");
  return found.replaceAll(`${file}:`, "");
}

test("an environment copies the entry in from, with the number in its namespace, params and address", () => {
  const parsed = parseDeployments(
    file,
    lines`
      deployments:
        - name: shop
          config: shop.yaml
          preview:
            namespace: shop-pr-NUMBER
            params: {host: "NUMBER.example", nested: [{name: "xNUMBER"}], replicas: 1}
            ttl: 90m
            from: staging
            labels: {pod-security.kubernetes.io/enforce: restricted}
            url: https://NUMBER.example
        - {name: staging, config: staging.yaml, params: [p.yaml], context: dev, namespace: stage}`.replaceAll(
      "NUMBER",
      number,
    ),
  );
  if (!parsed.ok) throw new Error("the list is invalid");
  const [entry] = previewingDeployments(parsed.value);
  if (entry === undefined) throw new Error("no entry has a preview");
  expect(entry.preview).toMatchObject({ when: "label", label: "preview" });
  const owner = { repository: { path: "acme/shop" }, list: file };
  const made = environmentDeployment(entry, parsed.value, { ...owner, number: 7, head: "abc" });
  const { environmentOf, ...rest } = made;
  expect(rest).toMatchObject({
    ...{ name: "shop-pr-7", config: ".valuestream/staging.yaml", context: "dev" },
    ...{ namespace: "stage", params: [".valuestream/p.yaml"], dependsOn: [] },
  });
  expect(environmentOf?.recorded).toEqual({
    ...{ ...owner, entry: "shop", number: 7, head: "abc" },
    ...{ namespace: "shop-pr-7", ttlMs: 5_400_000 },
  });
  expect(environmentOf?.labels).toEqual({ "pod-security.kubernetes.io/enforce": "restricted" });
  expect(environmentOf?.url).toBe("https://7.example");
  const params = environmentOf?.params;
  expect(params && textOf(params, "host")).toBe("7.example");
});

test.each([
  ["namespace: shop", "doesn't contain"],
  [`namespace: "a${number}", lable: x`, `Did you mean "label"?`],
  [`namespace: "${number}-${number}"`, "doesn't contain"],
  [`namespace: "Shop-${number}"`, "doesn't become a valid namespace"],
  [`namespace: "a${number}", ttl: 3d`, "isn't a valid lifetime"],
  [`namespace: "a${number}", ttl: 30s`, "isn't a valid lifetime"],
  [`namespace: "a${number}", ttl: 721h`, "isn't a valid lifetime"],
  [`namespace: "a${number}", when: labels`, "isn't a valid value"],
  [`namespace: "a${number}", labels: {vs.axis-dev.io/deployment: x}`, "qvs sets this label itself"],
  [`namespace: "a${number}", labels: {"a b": c}`, "Use the syntax of Kubernetes labels"],
  [`namespace: "a${number}", url: "javascript:alert(1)"`, "isn't an address"],
  [`namespace: "a${number}", from: shop`, "itself"],
  [`namespace: "a${number}", from: shpo`, `Deployment "shpo" doesn't exist`],
])("preview {%s} is an error", (preview, expected) => {
  expect(
    problems(`deployments: [{name: shop, config: qvs.yaml, preview: {${preview}}}]`),
  ).toContain(expected);
});

test.each([
  [
    "the namespace of an entry",
    `namespace: "shop-${number}"`,
    "{name: other, config: o.yaml, namespace: shop-12}",
  ],
  ["the name of an entry", `namespace: "x-${number}"`, "{name: shop-pr-12, config: o.yaml}"],
  [
    "the config of an entry that copies another one",
    `namespace: "x-${number}", from: other`,
    `{name: other, config: o.yaml, preview: {namespace: "y-${number}", from: shop}}`,
  ],
  [
    "a namespace of other environments",
    `namespace: "x-${number}"`,
    `{name: other, config: o.yaml, preview: {namespace: "x-1${number}"}}`,
  ],
])("an environment can't have %s", (_, preview, other) => {
  const entries = `{name: shop, config: qvs.yaml, preview: {${preview}}}, ${other}`;
  expect(problems(`deployments: [${entries}]`)).not.toBe("valid");
});

/** Returns a list whose entries have environments in these namespaces. */
function entriesWith(namespaces: readonly string[]): string {
  const entries = namespaces.map(
    (namespace, index) => `{name: e${index}, config: q.yaml, preview: {namespace: "${namespace}"}}`,
  );
  return `deployments: [${entries.join(", ")}]`;
}

test("environments with other words before or after the number don't collide", () => {
  const namespaces = [
    ...[`a-${number}`, `b-${number}`, `a-${number}-x`, `a-${number}-y`],
    ...[`a-b-${number}`, `a1-${number}`, `a2-${number}`],
  ];
  expect(problems(entriesWith(namespaces))).toBe("valid");
});

test.each([
  [`shop-${number}-1`, `shop-2-${number}`],
  [`shop-2-${number}`, `shop-${number}-1`],
  [`shop-${number}`, `shop-1${number}`],
  [`shop-${number}-x`, `shop-${number}-1-x`],
])("the namespaces %s and %s can be the same", (one, other) => {
  expect(problems(entriesWith([one, other]))).toContain(
    'Environments of "e0" could have the same namespace',
  );
});
