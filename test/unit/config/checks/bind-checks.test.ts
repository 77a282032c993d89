import { expect, test } from "vitest";
import { bindConfig } from "../../../../src/config/bind-config.ts";
import { parseConfig } from "../../../../src/config/parse-config.ts";
import { parseDeployments } from "../../../../src/config/parse-deployments.ts";
import { parseInlineParams } from "../../../../src/config/parse-params.ts";
import type { Deployment } from "../../../../src/model/deployments/deployment.ts";
import type { DeploymentCheck } from "../../../../src/model/deployments/deployment-checks.ts";
import type { ConfigSource } from "../../../../src/ports/world.ts";
import { readDeployment } from "../../../../src/sources/bind-deployment.ts";
import { lines, must, resultText } from "../result-text.ts";

function configText(checks: string): string {
  return `
params: [{name: host, type: string}, {name: port, type: int}, {name: codes, type: array}, {name: all, type: array}]
modules: [{name: acme.example/adapters, local: {path: adapters}}]
designPatterns: [{pattern: acme.example/adapters/web}]
checks: ${checks}
`;
}

/** Returns the checks of a config, or its problems: `line:column what (fix)`. */
function bind(checks: string, ...params: readonly string[]): readonly (DeploymentCheck | string)[] {
  const parsed = parseConfig("qvs.yaml", configText(checks));
  const given = parseInlineParams(params);
  if (!parsed.ok || !given.ok) throw new Error(JSON.stringify([parsed, given]));
  const bound = bindConfig(parsed.value, given.value);
  if (bound.ok) return bound.value.checks ?? [];
  return bound.problems.map(
    ({ where: [at], what, fix }) => `${at?.line}:${at?.column} ${what} (${fix})`,
  );
}

const web = { target: { type: "service", service: "web", port: "80", scheme: "http", path: "/" } };

test("defaults", () => {
  expect(bind("[{name: web, http: {service: web, port: 80}}]")).toEqual([
    {
      ...{ type: "http", name: "web", ...web, headers: [], status: [] },
      ...{ intervalMs: 5000, holdMs: 0, timeoutMs: 60_000 },
    },
  ]);
  expect(
    bind(
      "[{name: errors, prometheus: {url: https://metrics.acme.example/, query: up, min: 1, window: 5m}}]",
    ),
  ).toEqual([
    {
      ...{ type: "prometheus", name: "errors", query: "up", min: 1, headers: [] },
      target: { type: "address", url: "https://metrics.acme.example/" },
      ...{ intervalMs: 5000, holdMs: 300_000, timeoutMs: 360_000 },
    },
  ]);
  expect(bind("[{name: smoke, job: {template: {spec: {containers: []}}}}]")).toEqual([
    {
      ...{ type: "job", name: "smoke", timeoutMs: 300_000 },
      spec: { template: { spec: { containers: [] } } },
    },
  ]);
});

test("parameters provide parts of a check, or all checks", () => {
  const check =
    "{name: web, http: {service: $(params.host)-web, port: $(params.port), status: $(params.codes), contains: v$(params.port)}}";
  const params = ["host=shop", "port=8080", "codes=[200, 204]", "all=[]"];
  expect(bind(`[${check}]`, ...params)).toMatchObject([
    { target: { service: "shop-web", port: "8080" }, status: [200, 204], contains: "v8080" },
  ]);
  expect(
    bind(
      "$(params.all)",
      ...params.slice(0, 3),
      'all=[{"name": "a", "http": {"url": "http://a.example"}}]',
    ),
  ).toMatchObject([{ name: "a", target: { url: "http://a.example" } }]);
});

/** Returns the checks of a config and of an entry in deployments.yaml, or the problems. */
async function bindBoth(config: string, entry: string, ...inline: readonly string[]) {
  const files = new Map([["qvs.yaml", configText(config)]]);
  const text = `deployments: [{name: shop, config: ../qvs.yaml, checks: ${entry}}]`;
  const [deployment] = must(parseDeployments(".valuestream/deployments.yaml", text));
  const tree = { read: async (path: string) => files.get(path) };
  const source = { tree } as unknown as ConfigSource;
  const read = must(await readDeployment(source, deployment as Deployment, inline));
  return resultText(bindConfig(read.parsed, read.given), ({ checks = [] }) =>
    checks.map(({ name }) => name).join(", "),
  );
}

test("a deployment has the checks of the config and those of its entry, with the same parameters", async () => {
  const web = "{name: web, http: {url: http://a.example}}";
  expect(
    await bindBoth(`[${web}]`, "[{name: $(params.host), http: {service: w, port: 1}}]", "host=own"),
  ).toBe("web, own");
  expect(await bindBoth("[]", `[${web}]`)).toBe("web");
});

test("a check of the entry with a name of the config is an error that names both places", async () => {
  const web = "{name: web, http: {url: http://a.example}}";
  expect(await bindBoth(`[${web}]`, `[${web}]`)).toBe(lines`
    .valuestream/deployments.yaml:1:65: Check name "web" is used twice
      and qvs.yaml:5:17
      → Rename one of them
        or set the values that differ with $(params.NAME) in the config
`);
});

test("an error in a check of the entry is at its place", async () => {
  expect(
    await bindBoth("[]", "[{name: $(params.hots), http: {url: http://a.example}}]"),
  ).toBe(lines`
    .valuestream/deployments.yaml:1:65: Parameter "hots" isn't declared
      → Did you mean "$(params.host)"?
        or declare "hots" under params
        or write $$(params.hots) for the literal string
`);
});

test("a header is a string, or the key of a Secret", () => {
  const headers =
    "{Accept: text/plain, X-Api-Key: {secret: keys, key: web}, Authorization: {secret: keys, key: token, prefix: 'Bearer '}}";
  expect(bind(`[{name: a, http: {url: https://a.example, headers: ${headers}}}]`)).toMatchObject([
    {
      headers: [
        { name: "Accept", value: "text/plain" },
        { name: "X-Api-Key", secret: "keys", key: "web" },
        { name: "Authorization", secret: "keys", key: "token", prefix: "Bearer " },
      ],
    },
  ]);
});

test.each([
  ["[{name: ^A, http: {url: http://a.example}}]", '"A" isn\'t a valid name of a check'],
  [
    "[{name: a, http: {url: http://a.example}}, {name: ^a, http: {url: http://a.example}}]",
    'Check name "a" is used twice',
  ],
  ["[^{name: a}]", 'Check "a" needs exactly one kind'],
  ["[{name: a, http: ^{}}]", "A check needs a Service or an address"],
  ["[{name: a, http: ^{service: web}}]", "The Service has no port"],
  ["[{name: a, http: {service: web, port: ^0}}]", '"0" isn\'t a port'],
  ["[{name: a, http: {service: ^../x, port: 80}}]", '"../x" isn\'t a name of a Service'],
  [
    "[{name: a, http: {url: http://a.example, path: ^/x}}]",
    "A check with an address has no other part",
  ],
  ["[{name: a, http: {url: ^file:///etc/passwd}}]", "The address of a check isn't allowed"],
  ["[{name: a, http: {url: ^http://me:word@a.example}}]", "The address of a check isn't allowed"],
  [
    "[{name: a, http: {url: ^http://169.254.169.254/latest}}]",
    "The address of a check isn't allowed",
  ],
  [
    "[{name: a, http: {url: http://a.example, interval: ^soon}}]",
    '"interval" isn\'t a valid duration',
  ],
  [
    "[{name: a, http: ^{url: http://a.example, for: 2m, timeout: 1m}}]",
    'Check "a" can\'t pass before its timeout',
  ],
  ["[{name: a, http: {url: http://a.example, status: ^99}}]", '"status" isn\'t a status of HTTP'],
  [
    "[{name: a, http: {url: http://a.example, matches: ^'('}}]",
    '"matches" isn\'t a regular expression of RE2',
  ],
  [
    "[{name: a, http: {url: http://a.example, headers: {Authorization: ^word}}}]",
    'The header "Authorization" contains a credential',
  ],
  [
    "[{name: a, http: {url: http://a.example, headers: {X-Api-Key: ^word}}}]",
    'The header "X-Api-Key" contains a credential',
  ],
  [
    "[{name: a, http: {url: http://a.example, headers: {^Host: b.example}}}]",
    'A check can\'t send the header "Host"',
  ],
  [
    "[{name: a, http: {service: web, port: 80, headers: {^Impersonate-User: root}}}]",
    'A check can\'t send the header "Impersonate-User"',
  ],
  [
    "[{name: a, http: ^{service: web, port: 80, headers: {Authorization: {secret: s, key: k}}}}]",
    "The API server removes the header Authorization from requests to a Service",
  ],
  ["[{name: a, prometheus: ^{url: http://a.example, query: up}}]", "The query has no limit"],
  [
    "[{name: a, prometheus: {url: http://a.example, query: up, min: 0, max: ^many}}]",
    '"max" isn\'t a number',
  ],
  ["[{name: a, job: ^{}}]", "A Job needs a template"],
  ["[{name: a, http: {service: web, port: 80, ^oath: /}}]", 'Key "oath" is unknown'],
  ["[{name: a, http: {url: http://^$(params.host)}}]", 'Parameter "host" has no value'],
])("%s is rejected at the mark", (marked, what) => {
  const column = "checks: ".length + marked.indexOf("^") + 1;
  const found = bind(marked.replace("^", ""));
  expect(found.map((each) => String(each).replace(/ \([^(]*\)$/, ""))).toEqual([
    `5:${column} ${what}`,
  ]);
});

test.each([
  "/../../../secrets",
  "/a/../../x",
  "/%2e%2e/x",
  "/%252e%252e/x",
  "/a/..%2fx",
  "/a%5c..%5cx",
  "/..?q=1",
  "/.",
  "health",
  "/a b",
  "/a#b",
  "/%zz",
])("the path %s could lead out of the Service", (path) => {
  expect(bind(`[{name: a, http: {service: web, port: 80, path: "${path}"}}]`)).toEqual([
    expect.stringContaining("The path of a check isn't allowed"),
  ]);
});
