import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { startCompiler } from "../../support/cue/native.ts";
import { environment, GitFixture, temporaryDirectory } from "../../support/git/git-fixture.ts";
import { packedChart } from "../../support/packed-chart.ts";
import { runHere } from "../../support/qvs/run-here.ts";
import { ChartRegistry, digestOf } from "../../support/servers/chart-registry.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

/** Returns a chart with a ConfigMap that contains its version and a text. */
function chart(name: string, version: string, text = "as released"): Buffer {
  return packedChart(name, {
    "Chart.yaml": `apiVersion: v2\nname: ${name}\nversion: ${version}\n`,
    "templates/config.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}}
data: {version: "{{ .Chart.Version }}", text: ${text}}
`,
  });
}

/** An application with charts of a registry that isn't there at first. */
class Place {
  readonly app = new GitFixture();
  readonly cache = temporaryDirectory();
  readonly registry: ChartRegistry;

  constructor(registry: ChartRegistry) {
    this.registry = registry;
    for (const name of ["web", "db"]) {
      for (const version of ["1.0.0", "1.1.0"]) registry.push(name, version, chart(name, version));
    }
  }

  config(entries: string): void {
    const text = entries.replaceAll("HOST", this.registry.host);
    this.app.write(".valuestream/qvs.yaml", `designPatterns:\n${text}`);
  }

  get lock(): string {
    return this.named(readFileSync(join(this.app.directory, ".valuestream/qvs.lock"), "utf8"));
  }

  async qvs(...args: readonly string[]): Promise<string> {
    return this.run(args, this.cache);
  }

  async qvsOnFreshMachine(...args: readonly string[]): Promise<string> {
    return this.run(args, temporaryDirectory());
  }

  private async run(args: readonly string[], cache: string): Promise<string> {
    const run = await runHere(this.app.directory, args, compiler, {
      ...environment,
      QVS_CACHE: cache,
      QVS_INSECURE_REGISTRIES: this.registry.host,
    });
    return this.named(`${run.code}\n${run.stdout}${run.stderr}`);
  }

  private named(text: string): string {
    const digests = ["web", "db"].flatMap((name) =>
      ["1.0.0", "1.1.0"].map((version) => [name, version] as const),
    );
    return digests.reduce(
      (found, [name, version]) =>
        found.replaceAll(digestOf(chart(name, version)), `DIGEST_OF_${name}_${version}`),
      text.replaceAll(this.registry.host, "HOST"),
    );
  }
}

const web = "  - helm: {chart: oci://HOST/web, version: 1.0.0, release: web}\n";
const db = "  - helm: {chart: db, repo: http://HOST, version: 1.1.0, release: db}\n";

async function openPlace(entries: string): Promise<Place> {
  const place = new Place(await new ChartRegistry().start());
  place.config(entries);
  return place;
}

test("the lockfile contains the digest of each chart", async () => {
  const place = await openPlace(web + db);
  expect(await place.qvs("lock")).toBe(`0
Wrote .valuestream/qvs.lock
  + oci://HOST/web 1.0.0: DIGEST_OF_web_1.0.0
  + db of http://HOST 1.1.0: DIGEST_OF_db_1.1.0
`);
  expect(
    place.lock,
  ).toBe(`# Git modules and charts that the configs in this directory use. Written by \`qvs lock\`; commit this file.
version: 1
modules: []
charts:
  - chart: oci://HOST/web
    version: 1.0.0
    digest: DIGEST_OF_web_1.0.0
  - chart: db
    repository: http://HOST
    version: 1.1.0
    digest: DIGEST_OF_db_1.1.0
`);
  expect(await place.qvs("lock", "--check")).toBe("0\n.valuestream/qvs.lock is up to date\n");
});

test("after `qvs lock`, charts are rendered without a network", async () => {
  const place = await openPlace(web + db);
  await place.qvs("lock");
  place.registry.seen.splice(0);
  const compiled = await place.qvs("compile");
  expect(compiled).toMatch(/^0\n/);
  expect(compiled).toContain("# app/configmap/web\n");
  expect(compiled).toContain("version: 1.1.0\n");
  expect(place.registry.seen).toEqual([]);
});

test("a fresh machine fetches exactly the locked content", async () => {
  const place = await openPlace(web + db);
  await place.qvs("lock");
  expect(await place.qvsOnFreshMachine("compile")).toBe(await place.qvs("compile"));
});

test("a replaced version is an error on a fresh machine", async () => {
  const place = await openPlace(web);
  await place.qvs("lock");
  place.registry.push("web", "1.0.0", chart("web", "1.0.0", "replaced"));
  const digest = digestOf(chart("web", "1.0.0", "replaced"));
  expect(await place.qvsOnFreshMachine("compile")).toBe(`1
error[chart-content-changed]: Chart oci://HOST/web at "1.0.0" was replaced
  --> .valuestream/qvs.yaml:2:19
  --> .valuestream/qvs.lock:5:5
  locked: DIGEST_OF_web_1.0.0
  why: The registry has another content under this version
  help: Find out who replaced it and why
  help: or run \`qvs lock\` and commit .valuestream/qvs.lock, if the new content is correct
`);
  expect(await place.qvs("compile")).toContain("as released");
  expect(await place.qvs("lock")).toContain(
    `~ oci://HOST/web 1.0.0: DIGEST_OF_web_1.0.0 → ${digest}`,
  );
});

test("a chart that isn't locked is an error", async () => {
  const place = await openPlace(web);
  place.registry.seen.splice(0);
  expect(await place.qvs("compile")).toContain(`Chart oci://HOST/web at "1.0.0" isn't locked`);
  await place.qvs("lock");
  place.config(web.replace("1.0.0", "1.1.0"));
  expect(await place.qvs("compile")).toContain('locked: "1.0.0"');
});

const local = "  - helm: {chart: ../charts/shop, release: shop}\n";

function writeShop(place: Place, version: string, lock?: string): void {
  const dependency = (at: string) =>
    `dependencies:\n  - {name: web, repository: oci://${place.registry.host}, version: ${at}}\n`;
  place.app.write(
    "charts/shop/Chart.yaml",
    `apiVersion: v2\nname: shop\nversion: 1.0.0\n${dependency(version)}`,
  );
  if (lock !== undefined) place.app.write("charts/shop/Chart.lock", dependency(lock));
}

test("the dependencies of a chart of the repository are locked too", async () => {
  const place = await openPlace(local);
  writeShop(place, "^1.0.0");
  expect(await place.qvs("lock")).toContain('Dependency "web" has no exact version');
  writeShop(place, "1.0.0", "1.1.0");
  expect(await place.qvs("lock")).toContain("must agree with Chart.yaml");
  writeShop(place, "^1.0.0", "1.1.0");
  expect(await place.qvs("lock")).toContain("+ oci://HOST/web 1.1.0: DIGEST_OF_web_1.1.0");
  expect(await place.qvs("compile")).toContain("version: 1.1.0\n");
  expect(await place.qvsOnFreshMachine("compile")).toContain("version: 1.1.0\n");
});

test("the dependencies of a chart of API v1 are in requirements.yaml and requirements.lock", async () => {
  const place = await openPlace(local);
  const dependency = (at: string) =>
    `dependencies:\n  - {name: web, repository: oci://${place.registry.host}, version: ${at}}\n`;
  place.app.write("charts/shop/Chart.yaml", "apiVersion: v1\nname: shop\nversion: 1.0.0\n");
  place.app.write("charts/shop/requirements.yaml", dependency("^1.0.0"));
  expect(await place.qvs("lock")).toContain("help: or write an exact version in requirements.yaml");
  place.app.write("charts/shop/requirements.lock", dependency("1.1.0"));
  expect(await place.qvs("lock")).toContain("+ oci://HOST/web 1.1.0: DIGEST_OF_web_1.1.0");
  const compiled = await place.qvsOnFreshMachine("compile");
  expect(compiled).toContain("version: 1.1.0\n");
  expect(compiled).toContain("is in the range of requirements.yaml");
});

test("a range of a dependency is reported, because qvs doesn't check it", async () => {
  const place = await openPlace(local);
  const notice = "qvs doesn't check that this version is in the range of Chart.yaml";
  writeShop(place, "^2.0.0", "1.1.0");
  await place.qvs("lock");
  expect(await place.qvs("compile")).toContain(notice);
  writeShop(place, "1.1.0", "1.1.0");
  expect(await place.qvs("compile")).not.toContain(notice);
});

test("a new digest in the lockfile changes the deployment, and another file doesn't", async () => {
  const place = await openPlace(web);
  const list = "deployments: [{name: shop, config: qvs.yaml, namespace: shop}]\n";
  place.app.write(".valuestream/deployments.yaml", list);
  await place.qvs("lock");
  const base = place.app.commit({});
  place.app.commit({ "README.md": "text" });
  expect(await place.qvs("changed", "--base", base)).toContain("0 of 1 deployment changed");
  place.registry.push("web", "1.0.0", chart("web", "1.0.0", "replaced"));
  await place.qvs("lock");
  place.app.commit({});
  expect(await place.qvs("changed", "--base", base)).toContain("1 of 1 deployment changed");
});

test("`qvs lock` and `qvs outdated` ask each registry and Helm repository once", async () => {
  const place = await openPlace(web + db);
  place.app.write(
    "other/.valuestream/qvs.yaml",
    `designPatterns:\n${web + db}`.replaceAll("HOST", place.registry.host),
  );
  place.registry.seen.splice(0);
  await place.qvs("lock");
  await place.qvs("outdated");
  const paths = place.registry.seen.map(({ path }) => path);
  expect(paths.filter((path) => path === "/index.yaml")).toHaveLength(2);
  expect(paths.filter((path) => path.startsWith("/v2/web/tags/list"))).toHaveLength(1);
  expect(paths.filter((path) => path === "/v2/web/manifests/1.0.0")).toHaveLength(1);
});

test("`qvs outdated` lists newer versions and changes nothing", async () => {
  const place = await openPlace(web + db);
  place.registry.push("web", "1.2.0-rc.1", chart("web", "1.2.0-rc.1"));
  expect(await place.qvs("outdated")).toBe(`0
oci://HOST/web: 1.0.0 → 1.1.0
  --> .valuestream/qvs.yaml:2
`);
  const json = (await place.qvs("outdated", "--format", "json")).slice(2);
  expect(JSON.parse(json)).toEqual({
    outdated: [
      {
        ...{ type: "chart", name: "oci://HOST/web", current: "1.0.0", newest: "1.1.0" },
        ...{ file: ".valuestream/qvs.yaml", line: 2 },
      },
    ],
    compared: 2,
  });
});

describe("the sources of a preview", () => {
  /** Returns the changed sources of deployment shop since a commit, one per line. */
  async function changedSince(place: Place, base: string): Promise<readonly string[]> {
    const args = ["diff", "-d", "shop", "--base", base, "--format", "json"];
    const shown = await place.qvsOnFreshMachine(...args);
    const { sources, notices } = JSON.parse(
      shown.slice(shown.indexOf("{"), shown.lastIndexOf("}") + 1),
    );
    type Version = { from: string; version: string; pinned: string } | null;
    const text = (version: Version) =>
      version === null ? "-" : `${version.from} ${version.version} ${version.pinned}`;
    return [
      ...sources.map(
        (each: { name: string; before: Version; after: Version }) =>
          `${each.name}: ${text(each.before)} → ${text(each.after)}`,
      ),
      ...notices.flatMap(({ code }: { code: string }) => (code === "version-replaced" ? code : [])),
    ];
  }

  const list = "deployments: [{name: shop, config: qvs.yaml, namespace: shop}]\n";

  /** Locks entries of the config and commits all files. */
  async function commitLocked(place: Place, entries: string): Promise<string> {
    place.config(entries);
    place.app.write(".valuestream/deployments.yaml", list);
    await place.qvs("lock");
    return place.app.commit();
  }

  test("are the charts with another version, from another registry, or without an entry", async () => {
    const place = await openPlace(web);
    const extra = "  - helm: {chart: db, repo: http://HOST, version: 1.0.0, release: extra}\n";
    const base = await commitLocked(place, web + extra);
    // Another config of the directory moves to a version that shop doesn't use.
    place.app.write(
      ".valuestream/other.yaml",
      `designPatterns:\n${web.replace("1.0.0", "1.1.0").replace("HOST", place.registry.host)}`,
    );
    await commitLocked(
      place,
      web.replace("1.0.0", "1.1.0") + extra.replace("db, repo: http://HOST", "oci://HOST/db"),
    );
    expect(await changedSince(place, base)).toEqual([
      "db: http://HOST 1.0.0 DIGEST_OF_db_1.0.0 → oci://HOST 1.0.0 DIGEST_OF_db_1.0.0",
      "web: oci://HOST 1.0.0 DIGEST_OF_web_1.0.0 → oci://HOST 1.1.0 DIGEST_OF_web_1.1.0",
    ]);
    const removed = await commitLocked(place, web);
    expect(await changedSince(place, base)).toEqual([
      "db: http://HOST 1.0.0 DIGEST_OF_db_1.0.0 → -",
    ]);
    expect(await changedSince(place, removed)).toEqual([]);
  });

  test("are warned about if a version has other content, even if the base can't be rendered", async () => {
    const place = await openPlace(web);
    const base = await commitLocked(place, web);
    const replaced = chart("web", "1.0.0", "replaced");
    place.registry.push("web", "1.0.0", replaced);
    await commitLocked(place, web);
    const expected = [
      `web: oci://HOST 1.0.0 DIGEST_OF_web_1.0.0 → oci://HOST 1.0.0 ${digestOf(replaced)}`,
      "version-replaced",
    ];
    expect(await changedSince(place, base)).toEqual(expected);
    place.config(`${web}  - helm: {chart: missing, release: a}\n`);
    const broken = place.app.commit();
    await commitLocked(place, db);
    expect(await changedSince(place, broken)).toEqual([
      "db: - → http://HOST 1.1.0 DIGEST_OF_db_1.1.0",
    ]);
  });
});

test("a dependency that a linked chart contains isn't locked", async () => {
  const place = await openPlace("  - helm: {chart: ../charts/linked, release: shop}\n");
  writeShop(place, "1.1.0");
  place.app.link("charts/linked", "shop");
  expect(await place.qvs("lock")).toContain("+ oci://HOST/web 1.1.0");
  place.app.write(
    "charts/shop/charts/web/Chart.yaml",
    "apiVersion: v2\nname: web\nversion: 1.1.0\n",
  );
  expect(await place.qvs("lock")).toContain("- oci://HOST/web 1.1.0: no longer used");
});
