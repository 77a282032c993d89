import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openChartStore } from "../../../../src/io/charts/chart-store.ts";
import type { Environment } from "../../../../src/io/environment.ts";
import { sentSecrets } from "../../../../src/redaction/sent-secrets.ts";
import { describeProblem } from "../../../support/describe-problem.ts";
import { temporaryDirectory } from "../../../support/git/git-fixture.ts";
import { ChartRegistry, digestOf } from "../../../support/servers/chart-registry.ts";

const one = Buffer.from("content 1");
const two = Buffer.from("content 2");

/** A registry with the chart web at 1.0.0 and 1.1.0+build, and a cache. */
class Place {
  readonly cache = temporaryDirectory();
  readonly home = temporaryDirectory();
  readonly sent = sentSecrets();
  readonly registry: ChartRegistry;

  constructor(registry: ChartRegistry) {
    this.registry = registry;
    registry.push("web", "1.0.0", one);
    registry.push("web", "1.1.0+build", two);
  }

  get environment(): Environment {
    return { QVS_INSECURE_REGISTRIES: this.registry.host, DOCKER_CONFIG: this.home };
  }

  open(more: Environment = {}) {
    return openChartStore({
      cache: this.cache,
      environment: { ...this.environment, ...more },
      sent: this.sent,
      signal: new AbortController().signal,
      timeoutMs: 30_000,
    });
  }

  /** Fetches in a separate run. */
  async run(
    version: string,
    locked: string | undefined,
    from: "oci" | "repository" = "oci",
    environment: Environment = {},
  ): Promise<string> {
    const result = await this.open(environment).fetch({ ...this.chart(from), version, locked });
    if (!result.ok) return this.named(result.problems.map(describeProblem).join("\n"));
    const { digest, content } = result.value;
    const text = content === undefined ? "nothing" : Buffer.from(content).toString();
    return digest === (content && digestOf(Buffer.from(content)))
      ? text
      : `${text}, but the registry has ${digest}`;
  }

  chart(from: "oci" | "repository") {
    return from === "oci"
      ? { chart: `oci://${this.registry.host}/web`, repository: undefined }
      : { chart: "web", repository: `http://${this.registry.host}` };
  }

  named(text: string): string {
    return text.replaceAll(this.registry.host, "HOST");
  }

  paths(): readonly string[] {
    return this.registry.seen.splice(0).map(({ path }) => path);
  }
}

async function openPlace(): Promise<Place> {
  return new Place(await new ChartRegistry().start());
}

const both = ["oci", "repository"] as const;

test.each(both)("the %s gives a version and its digest, once per run", async (from) => {
  const place = await openPlace();
  expect(await place.run("1.0.0", undefined, from)).toBe("content 1");
  expect(await place.run("1.1.0+build", undefined, from)).toBe("content 2");
  const store = place.open();
  const request = { ...place.chart(from), version: "1.0.0", locked: undefined };
  place.paths();
  await Promise.all([store.fetch(request), store.fetch(request)]);
  expect(place.paths()).toHaveLength(1);
});

test.each(both)("a locked chart in the cache needs no network: %s", async (from) => {
  const place = await openPlace();
  const locked = digestOf(one);
  expect(await place.run("1.0.0", locked, from), "a fresh machine").toBe("content 1");
  place.paths();
  expect(await place.run("1.0.0", locked, from)).toBe("content 1");
  expect(place.paths()).toEqual([]);
});

test.each(both)("a replaced version isn't used: %s", async (from) => {
  const place = await openPlace();
  const locked = digestOf(one);
  place.registry.push("web", "1.0.0", two);
  expect(await place.run("1.0.0", locked, from)).toBe(
    `nothing, but the registry has ${digestOf(two)}`,
  );
});

test("a replaced version is still there for a comparison, and is reported in each run", async () => {
  const place = await openPlace();
  const locked = digestOf(one);
  place.registry.push("web", "1.0.0-old", one);
  place.registry.push("web", "1.0.0", two);
  const expected = `content 1, but the registry has ${digestOf(two)}`;
  expect(await place.run("1.0.0", locked)).toBe(expected);
  expect(await place.run("1.0.0", locked)).toBe(expected);
});

test("the charts of one repository share its index", async () => {
  const place = await openPlace();
  place.registry.push("db", "1.0.0", two);
  const store = place.open();
  for (const chart of ["web", "db"]) {
    const repository = `http://${place.registry.host}`;
    await store.fetch({ chart, repository, version: "1.0.0", locked: undefined });
  }
  expect(place.paths().filter((path) => path === "/index.yaml")).toHaveLength(1);
});

test.each(both)("the registry is asked about content of another version: %s", async (from) => {
  const place = await openPlace();
  await place.run("1.1.0+build", undefined, from);
  place.paths();
  expect(await place.run("1.0.0", digestOf(two), from)).toBe(
    `content 2, but the registry has ${digestOf(one)}`,
  );
  expect(place.paths()).toHaveLength(1);
});

test("a changed copy in the cache is removed", async () => {
  const place = await openPlace();
  const locked = digestOf(one);
  await place.run("1.0.0", locked);
  const [file = ""] = readdirSync(place.cache, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".tgz"),
  );
  writeFileSync(join(place.cache, file), "content 3");
  expect(await place.run("1.0.0", locked)).toBe(
    `The cached copy of oci://HOST/web at "1.0.0" was damaged
  why: qvs deleted the copy
  → Run again
    or check the disk, if the error occurs again`,
  );
  expect(await place.run("1.0.0", locked)).toBe("content 1");
});

test("a damaged copy stays damaged for the whole run", async () => {
  const place = await openPlace();
  const locked = digestOf(one);
  await place.run("1.0.0", locked);
  const files = readdirSync(place.cache, { recursive: true, encoding: "utf8" });
  writeFileSync(join(place.cache, files.find((path) => path.endsWith(".tgz")) ?? ""), "content 3");
  const store = place.open();
  const request = { ...place.chart("oci"), version: "1.0.0", locked };
  const results = [await store.fetch(request), await store.fetch(request)];
  const codes = results.map((each) => (each.ok ? "none" : each.problems[0]?.code));
  expect(codes).toEqual(["module-cache-unusable", "module-cache-unusable"]);
});

test("an unusable cache is an error, and an error elsewhere isn't one of the cache", async () => {
  const place = await openPlace();
  const file = join(place.home, "file");
  writeFileSync(file, "");
  const options = {
    environment: place.environment,
    sent: place.sent,
    signal: new AbortController().signal,
  };
  const store = openChartStore({ ...options, cache: file });
  const request = { version: "1.0.0", locked: undefined };
  expect(await store.fetch({ ...place.chart("oci"), ...request })).toMatchObject({
    problems: [{ code: "module-cache-unusable" }],
  });
  const invalid = { chart: "oci://host:99999/web", repository: undefined };
  await expect(store.fetch({ ...invalid, ...request })).rejects.toThrow("Invalid URL");
});

test("a host that doesn't exist is an error", async () => {
  const place = await openPlace();
  const request = { chart: "oci://registry.invalid/web", repository: undefined };
  const found = await place.open().fetch({ ...request, version: "1.0.0", locked: undefined });
  expect(found).toMatchObject({ ok: false, problems: [{ code: "chart-not-fetched" }] });
});

test.each(both)("a missing version or chart is an error: %s", async (from) => {
  const place = await openPlace();
  expect(await place.run("2.0.0", undefined, from)).toContain('at "2.0.0" doesn\'t exist');
});

test("a chart that has moved to a registry is named there", async () => {
  const place = await openPlace();
  const index = 'entries: {web: [{version: 1.0.0, urls: ["oci://a.example/charts/web:1.0.0"]}]}';
  place.registry.answers.set("/index.yaml", (_, response) => response.end(index));
  expect(await place.run("1.0.0", undefined, "repository")).toContain(
    "→ Write the chart as oci://a.example/charts/web, without repo",
  );
});

test("a version without its v is suggested", async () => {
  const place = await openPlace();
  expect(await place.run("v1.0.0", undefined, "repository")).toContain("→ Write 1.0.0");
});

test.each(both)("all versions are listed: %s", async (from) => {
  const place = await openPlace();
  const found = await place.open().versions(place.chart(from));
  expect(found).toEqual({ ok: true, value: ["1.0.0", "1.1.0+build"] });
});

test("content that differs from the manifest is an error", async () => {
  const place = await openPlace();
  place.registry.answers.set(`/v2/web/blobs/${digestOf(one)}`, (_, response) =>
    response.end("content 3"),
  );
  expect(await place.run("1.0.0", undefined)).toContain(
    "has another content than its registry names",
  );
});

function writeLogin(place: Place, config: object): void {
  writeFileSync(join(place.home, "config.json"), JSON.stringify(config));
}

test.each([
  ["Bearer", "oci"],
  ["Basic", "oci"],
  ["Basic", "repository"],
] as const)("the Docker config gives the login: %s, %s", async (scheme, from) => {
  const place = await openPlace();
  place.registry.login = { text: "user:pass:word", scheme };
  expect(await place.run("1.0.0", undefined, from)).toContain('at "1.0.0" is denied');
  writeLogin(place, { auths: { [place.registry.host]: { auth: btoa("user:pass:word") } } });
  expect(await place.run("1.0.0", undefined, from)).toBe("content 1");
  expect(place.sent.hide("pass:word and token-of-registry")).toBe(
    scheme === "Bearer" ? "(hidden) and (hidden)" : "(hidden) and token-of-registry",
  );
});

test("a token allows only to read, whatever the registry suggests", async () => {
  const place = await openPlace();
  place.registry.login = { text: "user:password", scheme: "Bearer" };
  writeLogin(place, {
    auths: { [place.registry.host]: { username: "user", password: "password" } },
  });
  await place.run("1.0.0", undefined);
  expect(place.paths().filter((path) => path.startsWith("/token"))).toEqual([
    "/token?service=registry&scope=repository%3Aweb%3Apull",
  ]);
});

test.each(["Basic", "Bearer"] as const)("an identity token isn't used: %s", async (scheme) => {
  const place = await openPlace();
  place.registry.login = { text: "user:password", scheme };
  writeLogin(place, { auths: { [place.registry.host]: { identitytoken: "abc" } } });
  expect(await place.run("1.0.0", undefined)).toContain("has an identity token");
});

test.each(["Basic", "Bearer"] as const)("a credential helper isn't run: %s", async (scheme) => {
  const place = await openPlace();
  place.registry.login = { text: "user:password", scheme };
  writeLogin(place, { credHelpers: { [place.registry.host]: "evil" } });
  expect(await place.run("1.0.0", undefined)).toContain(
    "The Docker config names a credential helper, and qvs runs none",
  );
});

test("no other host of this machine is contacted", async () => {
  const place = await openPlace();
  const none = { QVS_INSECURE_REGISTRIES: "" };
  expect(await place.run("1.0.0", undefined, "repository", none)).toContain(
    "Only https is allowed",
  );
  expect(await place.run("1.0.0", undefined, "oci", none)).toContain("The host is this machine");
  expect(place.paths()).toEqual([]);
});

test("the index of a large repository is cut", { tags: "slow" }, async () => {
  const place = await openPlace();
  const filler = `  other:\n${"  - name: other\n    version: 9.9.9\n".repeat(40_000)}`;
  place.registry.answers.set("/index.yaml", (_, response) =>
    response.end(
      place.registry.index().replace("entries:\n", `entries:\n${filler}`) +
        filler.replace("other:", "zoo:"),
    ),
  );
  expect(await place.run("1.0.0", undefined, "repository")).toBe("content 1");
});

test("the cache contains only the packed chart", async () => {
  const place = await openPlace();
  await place.run("1.0.0", undefined);
  const files = readdirSync(place.cache, { recursive: true, encoding: "utf8" });
  const file = files.find((path) => path.endsWith(".tgz")) ?? "";
  expect(readFileSync(join(place.cache, file)).equals(one)).toBe(true);
});
