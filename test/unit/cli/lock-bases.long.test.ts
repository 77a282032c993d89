import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { startCompiler } from "../../../src/world/start-compiler.ts";
import { environment, GitFixture, temporaryDirectory } from "../../support/git/git-fixture.ts";
import { runHere } from "../../support/qvs/run-here.ts";
import { type HttpsServer, startHttpsServer } from "../../support/servers/https-server.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

const map = (name: string, text: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {text: ${text}}\n`;

/** An application with an overlay, and repositories with bases on a server. */
class Place {
  readonly app = new GitFixture();
  readonly cache = temporaryDirectory();
  readonly server: HttpsServer;
  readonly #root: string;

  constructor(server: HttpsServer, root: string) {
    this.server = server;
    this.#root = root;
    this.app.write(".valuestream/qvs.yaml", "designPatterns: [{kustomize: ../overlay}]\n");
  }

  static async open(): Promise<Place> {
    const root = temporaryDirectory();
    return new Place(await startHttpsServer({ root }), root);
  }

  /** Creates a repository `acme/NAME` with the tag v1. HOST in its files is the server. */
  repository(name: string, files: Readonly<Record<string, string>>): GitFixture {
    const fixture = new GitFixture(join(this.#root, "acme", name));
    this.commit(fixture, files);
    fixture.git("tag", "v1");
    return fixture;
  }

  commit(fixture: GitFixture, files: Readonly<Record<string, string>>): string {
    return fixture.commit(
      Object.fromEntries(
        Object.entries(files).map(([path, text]) => [
          path,
          text.replaceAll("HOST", this.server.host),
        ]),
      ),
    );
  }

  overlay(text: string): void {
    this.app.write("overlay/kustomization.yaml", text.replaceAll("HOST", this.server.host));
  }

  get lock(): string {
    return this.named(readFileSync(join(this.app.directory, ".valuestream/qvs.lock"), "utf8"));
  }

  async qvs(...args: readonly string[]): Promise<string> {
    return this.#run(args, this.cache);
  }

  async qvsOnFreshMachine(...args: readonly string[]): Promise<string> {
    return this.#run(args, temporaryDirectory());
  }

  async #run(args: readonly string[], cache: string): Promise<string> {
    const env = { ...environment, ...this.server.trusted, QVS_CACHE: cache };
    const run = await runHere(this.app.directory, args, compiler, env);
    return this.named(`${run.code}\n${run.stdout}${run.stderr}`);
  }

  named(text: string): string {
    return text
      .replaceAll(this.server.host, "HOST")
      .replaceAll(/\b[0-9a-f]{40}\b/g, "COMMIT")
      .replaceAll(/sha256:[0-9a-f]{64}/g, "HASH");
  }
}

test("a remote base is locked, and then compiled without a network", async () => {
  const place = await Place.open();
  place.repository("bases", {
    "web/kustomization.yaml": "resources: [../shared, map.yaml]\n",
    "web/map.yaml": map("web", "v1"),
    "shared/kustomization.yaml": "configMapGenerator: [{name: shared, files: [a.conf]}]\n",
    "shared/a.conf": "hello\n",
  });
  place.overlay("namePrefix: x-\nresources: ['https://HOST/acme/bases//web?ref=v1']\n");
  expect(await place.qvs("compile")).toBe(`1
error[lock-file-outdated]: Remote base "https://HOST/acme/bases//web?ref=v1" isn't in .valuestream/qvs.lock
  --> overlay/kustomization.yaml:2:14
  --> .valuestream/qvs.yaml:1:30
  help: Run \`qvs lock\` and commit .valuestream/qvs.lock
`);
  expect(place.server.paths).toEqual([]);
  expect(await place.qvs("lock")).toBe(`0
Wrote .valuestream/qvs.lock
  + https://HOST/acme/bases (web) v1: COMMIT
`);
  expect(
    place.lock,
  ).toBe(`# Git modules, charts and remote bases that the configs in this directory use. Written by \`qvs lock\`; commit this file.
version: 1
modules: []
bases:
  - repository: https://HOST/acme/bases
    path: web
    revision: v1
    commit: COMMIT
    hash: HASH
`);
  const requests = place.server.paths.length;
  const compiled = await place.qvs("compile");
  expect(compiled).toMatch(/^0\n/);
  expect(compiled).toContain("name: x-web\n");
  expect(compiled).toContain("name: x-shared-");
  expect(place.server.paths).toHaveLength(requests);
  expect(await place.qvs("lock", "--check")).toBe("0\n.valuestream/qvs.lock is up to date\n");
  expect(await place.qvsOnFreshMachine("compile")).toBe(compiled);
});
