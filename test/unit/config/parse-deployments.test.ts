import { expect, test } from "vitest";
import { discoverDeployments, findConfigs } from "../../../src/config/discover-deployments.ts";
import { parseDeployments } from "../../../src/config/parse-deployments.ts";
import type { Deployment } from "../../../src/model/deployments/deployment.ts";
import { fc } from "../../support/fast-check.ts";
import { lines, resultText } from "./result-text.ts";

const file = ".valuestream/deployments.yaml";

function show(deployments: readonly Deployment[]): string {
  return deployments
    .map(({ name, ...rest }) => `${name} ${JSON.stringify(rest).replaceAll('"', "")}`)
    .join("\n");
}

function check(text: string, expected: string): void {
  const found = resultText(parseDeployments(file, text), show);
  expect(found.replaceAll(`${file}:`, "")).toBe(expected);
}

test("paths are relative to the file and become relative to the root", () => {
  check(
    lines`
      deployments:
        - name: shop-staging
          config: ../services/shop/.valuestream/qvs.yaml
          params: [params/common.yaml, ./params/staging.yaml]
          environment: staging
          context: staging
          namespace: shop
          dependsOn: [platform]
        - name: platform
          config: qvs.yaml`,
    lines`
      shop-staging {config:services/shop/.valuestream/qvs.yaml,params:[.valuestream/params/common.yaml,.valuestream/params/staging.yaml],environment:staging,context:staging,namespace:shop,dependsOn:[platform]}
      platform {config:.valuestream/qvs.yaml,params:[],namespace:default,dependsOn:[]}`,
  );
});

test("the entry of a removed deployment takes precedence over the default of the file", () => {
  check(
    lines`
      on-removed: delete
      deployments:
        - {name: a, config: qvs.yaml}
        - {name: b, config: qvs.yaml, on-removed: keep}`,
    lines`
      a {config:.valuestream/qvs.yaml,params:[],namespace:default,dependsOn:[],onRemoved:delete}
      b {config:.valuestream/qvs.yaml,params:[],namespace:default,dependsOn:[],onRemoved:keep}`,
  );
});

test("an entry can require that each deployment is reversible", () => {
  check(
    lines`
      deployments:
        - {name: a, config: qvs.yaml, require: reversible}`,
    lines`
      a {config:.valuestream/qvs.yaml,params:[],namespace:default,dependsOn:[],require:reversible}`,
  );
});

test("all problems are reported together, each at its place", () => {
  check(
    lines`
      deployments:
        - {name: Shop, config: qvs.yaml, namespace: my_space}
        - {name: a, config: ../../etc/passwd, params: [/etc/passwd]}
        - {name: a, config: qvs.yaml, dependOn: [b]}
        - {name: b, config: qvs.yaml, dependsOn: [aa, c]}
        - {name: c, config: qvs.yaml, dependsOn: [b]}
        - {config: qvs.yaml}`,
    lines`
      2:12: "Shop" isn't a valid deployment name
        → Use at most 63 lowercase letters, digits and hyphens, with a letter or digit at the start and end
      2:47: "my_space" isn't a valid namespace
        → Use at most 63 lowercase letters, digits and hyphens, with a letter or digit at the start and end
      3:23: Path "../../etc/passwd" doesn't point to a file of this repository
        → Write the path of a file in the repository, relative to .valuestream/deployments.yaml
      3:50: Path "/etc/passwd" doesn't point to a file of this repository
        → Write the path of a file in the repository, relative to .valuestream/deployments.yaml
      4:12: Deployment name "a" is used twice
        and 3:12
        → Rename one of the two deployments
      4:33: Key "dependOn" is unknown
        → Did you mean "dependsOn"?
      5:45: Deployment "aa" doesn't exist
        → Did you mean "a"?
          or name a deployment of this file
      5:49: Deployment "b" depends on itself
        and 6:45
        cycle: b → c → b
        → Remove one of these deployments from dependsOn
      7:5: "deployments[5]" has no "name"
        → Add "name:"
`,
  );
});

test.each([
  ["itself", "[{name: a, config: q, dependsOn: [a]}]", "a → a"],
  [
    "a cycle that it only leads to",
    "[{name: x, config: q, dependsOn: [a]}, {name: a, config: q, dependsOn: [b]}, {name: b, config: q, dependsOn: [a]}]",
    ": a → b → a\n",
  ],
])("rejects a deployment that waits for %s", (_, list, expected) => {
  expect(resultText(parseDeployments(file, `deployments: ${list}`), show)).toContain(expected);
});

test("a diamond isn't a cycle", () => {
  const list =
    "[{name: a, config: q, dependsOn: [b, c]}, {name: b, config: q, dependsOn: [d]}, {name: c, config: q, dependsOn: [d]}, {name: d, config: q}]";
  expect(parseDeployments(file, `deployments: ${list}`).ok).toBe(true);
});

test("any file is parsed or rejected without an exception", () => {
  const word = fc.constantFrom(
    "deployments",
    "name",
    "config",
    "dependsOn",
    ": ",
    "\n",
    "- ",
    "  ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "a",
    "b",
  );
  const text = fc.array(word, { maxLength: 40 }).map((words) => words.join(""));
  fc.assert(fc.property(text, (yaml) => typeof parseDeployments(file, yaml).ok === "boolean"));
});

test("qvs finds configs in any directory, and no other files", () => {
  const paths = [
    "services/shop/.valuestream/qvs.yaml",
    ".valuestream/qvs_eu.yaml",
    ".valuestream/deployments.yaml",
    ".valuestream/sub/qvs.yaml",
    "x.valuestream/qvs.yaml",
    "qvs.yaml",
    ".valuestream/qvs.yml",
  ];
  expect(findConfigs(paths)).toEqual([
    ".valuestream/qvs_eu.yaml",
    "services/shop/.valuestream/qvs.yaml",
  ]);
});

test.each([
  [".valuestream/qvs.yaml", "my-repo"],
  [".valuestream/qvs_eu.yaml", "my-repo-eu"],
  ["services/shop/.valuestream/qvs.yaml", "shop"],
  ["services/My_Shop/.valuestream/qvs_EU.west.yaml", "my-shop-eu-west"],
  ["services/shop/.valuestream/qvs-eu.yaml", "shop"],
  ["config/shop.yaml", "config"],
  ["shop.yaml", "my-repo"],
])("%s is deployed as %s", (config, name) => {
  expect(resultText(discoverDeployments([config], "my.repo"), ([one]) => String(one?.name))).toBe(
    name,
  );
});

test.each([
  [
    "two configs of one name",
    ["b/shop/.valuestream/qvs.yaml", "a/shop/.valuestream/qvs.yaml"],
    'a/shop/.valuestream/qvs.yaml:1:1: "shop" would be the deployment name of 2 configs\n  and b/shop/.valuestream/qvs.yaml:1:1\n  → Rename the directory\n    or list the deployments in .valuestream/deployments.yaml',
  ],
  [
    "a directory without a letter",
    ["___/.valuestream/qvs.yaml"],
    '___/.valuestream/qvs.yaml:1:1: "___/.valuestream/qvs.yaml" gives no valid deployment name\n  derived: ""',
  ],
  [
    "a directory with a very long name",
    [`${"x".repeat(64)}/.valuestream/qvs.yaml`],
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx/.valuestream/qvs.yaml:1:1: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx/.valuestream/qvs.yaml" gives no valid deployment name\n  derived: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"',
  ],
])("rejects %s", (_, configs, expected) => {
  expect(resultText(discoverDeployments(configs, "repo"), show)).toContain(expected);
});
