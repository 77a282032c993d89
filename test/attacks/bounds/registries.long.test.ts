import { writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { receivesLogin } from "../../../src/io/charts/authorized-get.ts";
import { openChartStore } from "../../../src/io/charts/chart-store.ts";
import { sentSecrets } from "../../../src/redaction/sent-secrets.ts";
import { describeProblem } from "../../support/describe-problem.ts";
import { temporaryDirectory } from "../../support/git/git-fixture.ts";
import { ChartRegistry, digestOf } from "../../support/servers/chart-registry.ts";

const content = Buffer.from("content");
const blob = `/v2/web/blobs/${digestOf(content)}`;
const manifest = "/v2/web/manifests/1.0.0";

/** A registry, a second host, and the login for the first one. */
async function openHosts() {
  const [registry, other] = [await new ChartRegistry().start(), await new ChartRegistry().start()];
  for (const each of [registry, other]) each.push("web", "1.0.0", content);
  const home = temporaryDirectory();
  const auths = { [registry.host]: { auth: btoa("user:password-of-registry") } };
  writeFileSync(join(home, "config.json"), JSON.stringify({ auths }));
  return { registry, other, home };
}

type Hosts = Awaited<ReturnType<typeof openHosts>>;

/** Fetches the chart, and returns the first line of the problem and its cause. */
async function fetchChart(
  { registry, other, home }: Hosts,
  from: "oci" | "repository" = "oci",
  listed: readonly string[] = [registry.host, other.host],
  timeoutMs = 30_000,
): Promise<string> {
  const store = openChartStore({
    cache: temporaryDirectory(),
    environment: { QVS_INSECURE_REGISTRIES: listed.join(","), DOCKER_CONFIG: home },
    sent: sentSecrets(),
    signal: new AbortController().signal,
    timeoutMs,
    maxRunBytes: 200 * 1024 * 1024,
  });
  const chart =
    from === "oci"
      ? { chart: `oci://${registry.host}/web`, repository: undefined }
      : { chart: "web", repository: `http://${registry.host}` };
  const result = await store.fetch({ ...chart, version: "1.0.0", locked: undefined });
  if (result.ok) return Buffer.from(result.value.content ?? "").toString();
  const text = result.problems.map(describeProblem).join("\n");
  expect(text).not.toContain("password-of-registry");
  const why = text.split("\n").find((line) => line.startsWith("  why: "));
  return why?.slice("  why: ".length) ?? text;
}

function redirect(to: string) {
  return (_: unknown, response: ServerResponse) => response.writeHead(307, { location: to }).end();
}

/** Sends bytes without an end. */
function endless(_: unknown, response: ServerResponse): void {
  const chunk = Buffer.alloc(1024 * 1024, " ");
  const send = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.writeHead(200).on("drain", send);
  send();
}

/** Sends a byte now and then. */
function slow(_: unknown, response: ServerResponse): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write(" "), 20);
  response.on("close", () => clearInterval(timer));
}

test("a password never follows a redirect to another host", async () => {
  const hosts = await openHosts();
  const { registry, other } = hosts;
  registry.login = { text: "user:password-of-registry", scheme: "Basic" };
  registry.answers.set(blob, redirect(`http://${other.host}${blob}`));
  expect(await fetchChart(hosts)).toBe("content");
  expect(registry.seen.some(({ authorization }) => authorization !== undefined)).toBe(true);
  expect(other.seen.map(({ authorization }) => authorization)).toEqual([undefined]);
});

test("a password isn't sent to the address of an index on another host", async () => {
  const hosts = await openHosts();
  const { registry, other } = hosts;
  other.login = { text: "user:password-of-registry", scheme: "Basic" };
  const index = `entries: {web: [{version: 1.0.0, urls: ["http://${other.host}/web-1.0.0.tgz"]}]}`;
  registry.answers.set("/index.yaml", (_, response) => response.end(index));
  expect(await fetchChart(hosts, "repository")).toBe("The host answered with status 401");
  expect(other.seen.map(({ authorization }) => authorization)).toEqual([undefined]);
});

test("an index on another host doesn't make qvs send the password of this host", async () => {
  const hosts = await openHosts();
  const { registry, other } = hosts;
  registry.login = { text: "user:password-of-registry", scheme: "Basic" };
  const index = `entries: {web: [{version: 1.0.0, urls: ["http://${registry.host}/web-1.0.0.tgz"]}]}`;
  other.answers.set("/index.yaml", (_, response) => response.end(index));
  const swapped = { registry: other, other: registry, home: hosts.home };
  expect(await fetchChart(swapped, "repository")).toBe("The host answered with status 401");
  expect(registry.seen.map(({ authorization }) => authorization)).toEqual([undefined]);
});

test("a challenge after a redirect isn't answered", async () => {
  const hosts = await openHosts();
  const { registry, other } = hosts;
  other.login = { text: "user:password-of-registry", scheme: "Basic" };
  registry.answers.set(manifest, redirect(`http://${other.host}${manifest}`));
  expect(await fetchChart(hosts)).toBe("The host answered with status 401");
  expect([...registry.seen, ...other.seen].every((each) => each.authorization === undefined)).toBe(
    true,
  );
});

test("a password isn't sent to a token address on another host", async () => {
  const hosts = await openHosts();
  const { registry, other } = hosts;
  const challenge = `Bearer realm="http://${other.host}/token",service="a"`;
  registry.answers.set(manifest, (_, response) =>
    response.writeHead(401, { "www-authenticate": challenge }).end(),
  );
  await fetchChart(hosts);
  expect(other.seen.map(({ authorization }) => authorization)).toEqual([undefined]);
});

test("a password isn't sent on by a token address that redirects", async () => {
  const hosts = await openHosts();
  const { registry, other } = hosts;
  registry.login = { text: "user:password-of-registry", scheme: "Bearer" };
  registry.answers.set("/token", redirect(`http://${other.host}/token`));
  expect(await fetchChart(hosts)).toBe("It redirects too often");
  expect(other.seen).toEqual([]);
});

test.each([
  ["https://registry-1.docker.io", "https://auth.docker.io/token", true],
  ["https://registry.gitlab.example", "https://gitlab.example/jwt", true],
  ["https://registry.example.com", "https://registry.example.com/token", true],
  ["https://registry.example.com", "https://auth.evil.example/token", false],
  ["https://registry.example.com", "http://registry.example.com/token", false],
  ["https://registry.example.com", "https://registry.example.com:8443/token", false],
  ["https://registry.com", "https://evil.com/token", false],
  ["https://10.0.0.1", "https://11.0.0.1/token", false],
  ["https://10.0.0.1", "https://10.0.0.2/token", false],
  ["https://[::1]", "https://[::2]/token", false],
  ["https://registry-1.docker.io", "https://evil.docker.io/token", false],
  ["https://a.azurecr.io", "https://b.azurecr.io/token", false],
  ["https://a.azurecr.io", "https://azurecr.io/token", false],
  ["https://registry.example.com", "https://auth.example.com/token", false],
  ["https://registry.a.example", "https://registry.b.example/token", false],
  ["https://gitlab.example", "https://registry.gitlab.example/token", false],
  ["https://registry.example.com", "https://auth.example.com.evil.net/token", false],
])("the password of %s for %s: %s", (registry, realm, expected) => {
  expect(receivesLogin(new URL(registry), new URL(realm))).toBe(expected);
});

test.each([
  ["file:///etc/passwd", "It redirects to another protocol"],
  ["ftp://registry.example/web", "It redirects to another protocol"],
  ["https://169.254.169.254/latest", "It redirects to another protocol"],
  ["http://169.254.169.254/latest", "Only https is allowed"],
  ["http://metadata.google.internal/", "Only https is allowed"],
  ["http://[::1]:1/", "Only https is allowed"],
  ["http://", "It redirects to an invalid address"],
])("a redirect to %s isn't followed", async (to, expected) => {
  const hosts = await openHosts();
  hosts.registry.answers.set(blob, redirect(to));
  expect(await fetchChart(hosts)).toBe(expected);
});

test("a redirect to an unlisted host of this machine isn't followed", async () => {
  const hosts = await openHosts();
  hosts.registry.answers.set(blob, redirect(`http://${hosts.other.host}${blob}`));
  expect(await fetchChart(hosts, "oci", [hosts.registry.host])).toBe("Only https is allowed");
  expect(hosts.other.seen).toEqual([]);
});

test("redirects have an end", async () => {
  const hosts = await openHosts();
  hosts.registry.answers.set(blob, redirect(blob));
  expect(await fetchChart(hosts)).toBe("It redirects too often");
});

test.each([
  ["oci", manifest, "The limit is 4 MiB"],
  ["oci", blob, "The limit is 100 MiB"],
  ["repository", "/index.yaml", "The limit is 64 MiB"],
] as const)("an endless answer of %s %s has a limit", async (from, path, expected) => {
  const hosts = await openHosts();
  hosts.registry.answers.set(path, endless);
  expect(await fetchChart(hosts, from)).toBe(expected);
});

test("an endless token has a limit", async () => {
  const hosts = await openHosts();
  hosts.registry.login = { text: "user:password-of-registry", scheme: "Bearer" };
  hosts.registry.answers.set("/token", endless);
  expect(await fetchChart(hosts)).toBe("The limit is 64 KiB");
});

test.each([manifest, blob])("an answer that never ends takes limited time: %s", async (path) => {
  const hosts = await openHosts();
  hosts.registry.answers.set(path, slow);
  const listed = [hosts.registry.host];
  expect(await fetchChart(hosts, "oci", listed, 300)).toBe("It took longer than 0.3 s");
});

test("all requests for a chart have one deadline", async () => {
  const hosts = await openHosts();
  const { registry } = hosts;
  const names = [0, 1, 2, 3].map((step) => `/hop-${step}`);
  for (const [index, path] of [blob, ...names].entries()) {
    const next = names[index] ?? "/end";
    registry.answers.set(path, (_, response) => {
      setTimeout(() => response.writeHead(307, { location: next }).end(), 400);
    });
  }
  registry.answers.set("/end", (_, response) => response.end(content));
  expect(await fetchChart(hosts, "oci", [registry.host], 1000)).toBe("It took longer than 1 s");
});

test("all charts of a run have one limit of time", async () => {
  const { registry, home } = await openHosts();
  registry.answers.set(blob, slow);
  const store = openChartStore({
    cache: temporaryDirectory(),
    environment: { QVS_INSECURE_REGISTRIES: registry.host, DOCKER_CONFIG: home },
    sent: sentSecrets(),
    signal: new AbortController().signal,
    ...{ timeoutMs: 400, maxRunMs: 500 },
  });
  registry.push("web", "2.0.0", content);
  const causes: (string | undefined)[] = [];
  for (const version of ["1.0.0", "2.0.0"]) {
    const chart = { chart: `oci://${registry.host}/web`, repository: undefined, version };
    const result = await store.fetch({ ...chart, locked: undefined });
    causes.push(result.ok ? "none" : result.problems[0]?.why);
  }
  expect(causes).toEqual([
    "It took longer than 0.4 s",
    "All charts of the run took longer than 0.5 s",
  ]);
});

test.each([
  ["no JSON", "<html>"],
  ["no layers", "{}"],
  ["an inherited name", '{"layers": {"length": 1}, "__proto__": {"layers": []}}'],
  ["deep JSON", "[".repeat(1_000_000)],
  [
    "a path as digest",
    '{"layers": [{"mediaType": "application/tar+gzip", "digest": "sha256:../../etc"}]}',
  ],
])("a manifest with %s isn't a chart", async (_, text) => {
  const hosts = await openHosts();
  hosts.registry.answers.set(manifest, (__, response) => response.end(text));
  expect(await fetchChart(hosts)).toBe("It isn't a chart");
});

function aliasBomb(): string {
  const lines = Array.from({ length: 9 }, (_, level) => {
    const items = level === 0 ? "x" : `*a${level - 1}`;
    return `a${level}: &a${level} [${Array.from({ length: 9 }, () => items).join(", ")}]`;
  });
  return `${lines.join("\n")}\nentries: {web: *a8}\n`;
}

test.each([
  ["deep YAML", `entries: ${"[".repeat(100_000)}`],
  ["an unknown alias", `a: &a [1]\nb: &b [*a, *a]\nentries: *c\n`],
  ["an alias bomb", aliasBomb()],
  ["no text", "\u0000\u0001: {"],
])("an index with %s can't be read", async (_, text) => {
  const hosts = await openHosts();
  hosts.registry.answers.set("/index.yaml", (__, response) => response.end(text));
  expect(await fetchChart(hosts, "repository")).toBe("qvs can't read its index.yaml");
});

test.each(["__proto__", "constructor", "toString"])(
  "an index has no entry %s by inheritance",
  async (name) => {
    const hosts = await openHosts();
    const store = openChartStore({
      cache: temporaryDirectory(),
      environment: { QVS_INSECURE_REGISTRIES: hosts.registry.host },
      sent: sentSecrets(),
      signal: new AbortController().signal,
    });
    const chart = { chart: name, repository: `http://${hosts.registry.host}` };
    const result = await store.fetch({ ...chart, version: "1.0.0", locked: undefined });
    expect(result).toMatchObject({ ok: false, problems: [{ code: "chart-not-found" }] });
  },
);

test.each(["http://169.254.169.254/web.tgz", "file:///etc/passwd", "//169.254.169.254/web.tgz"])(
  "an index can't name %s",
  async (address) => {
    const hosts = await openHosts();
    const index = `entries: {web: [{version: 1.0.0, urls: ["${address}"]}]}`;
    hosts.registry.answers.set("/index.yaml", (_, response) => response.end(index));
    expect(await fetchChart(hosts, "repository")).toBe("Only https is allowed");
  },
);

test("the addresses of this machine are known in every form", async () => {
  const hosts = await openHosts();
  const { home } = hosts;
  for (const host of [
    ...["127.0.0.1", "localhost", "127.1.2.3", "0.0.0.0", "169.254.169.254"],
    ...["metadata.google.internal", "2130706433", "127.1", "0x7f.1"],
  ]) {
    const store = openChartStore({
      cache: temporaryDirectory(),
      environment: { DOCKER_CONFIG: home },
      sent: sentSecrets(),
      signal: new AbortController().signal,
      timeoutMs: 1000,
    });
    const request = { chart: `oci://${host}/web`, repository: undefined };
    const result = await store.fetch({ ...request, version: "1.0.0", locked: undefined });
    const [problem] = result.ok ? [] : result.problems;
    expect(problem?.why, host).toMatch(/^The host is (?:this machine|a metadata service)/);
  }
  for (const host of [
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[fe80::1]",
  ]) {
    const store = openChartStore({
      cache: temporaryDirectory(),
      environment: {},
      sent: sentSecrets(),
      signal: new AbortController().signal,
      timeoutMs: 1000,
    });
    const request = { chart: "web", repository: `https://${host}` };
    const result = await store.fetch({ ...request, version: "1.0.0", locked: undefined });
    const [problem] = result.ok ? [] : result.problems;
    expect(problem?.why, host).toMatch(/^The host is (?:this machine|a metadata service)/);
  }
});

test("all charts of a run have one limit", async () => {
  const hosts = await openHosts();
  const big = Buffer.alloc(40 * 1024 * 1024);
  const store = openChartStore({
    cache: temporaryDirectory(),
    environment: { QVS_INSECURE_REGISTRIES: hosts.registry.host },
    sent: sentSecrets(),
    signal: new AbortController().signal,
    maxRunBytes: 64 * 1024 * 1024,
  });
  const request = { chart: `oci://${hosts.registry.host}/web`, repository: undefined };
  const versions = ["2.0.0", "3.0.0"];
  const results = [];
  for (const [index, version] of versions.entries()) {
    big[0] = index;
    hosts.registry.push("web", version, Buffer.from(big));
    results.push(await store.fetch({ ...request, version, locked: undefined }));
  }
  expect(results.map(({ ok }) => ok)).toEqual([true, false]);
});

test("only this machine can be listed without TLS", () => {
  const environment = { QVS_INSECURE_REGISTRIES: "localhost:5000, registry.example" };
  expect(() =>
    openChartStore({
      cache: "/nonexistent",
      environment,
      sent: sentSecrets(),
      signal: new AbortController().signal,
    }),
  ).toThrow('"registry.example" in QVS_INSECURE_REGISTRIES isn\'t this machine');
});
