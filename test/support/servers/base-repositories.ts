import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Compiler } from "../../../src/ports/cue.ts";
import { environment, GitFixture, temporaryDirectory } from "../git/git-fixture.ts";
import { runHere } from "../qvs/run-here.ts";
import { type HttpsServer, startHttpsServer } from "./https-server.ts";

/** Returns a ConfigMap with one text. */
export function configMap(name: string, text: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {text: ${text}}\n`;
}

/**
 * An application with an overlay, and repositories with bases on a server. `HOST` in files and
 * outputs is the address of the server.
 */
export class BaseRepositories {
  readonly app = new GitFixture();
  readonly cache = temporaryDirectory();
  readonly server: HttpsServer;
  readonly #root: string;
  readonly #compiler: Compiler;

  private constructor(server: HttpsServer, root: string, compiler: Compiler) {
    this.server = server;
    this.#root = root;
    this.#compiler = compiler;
    this.app.write(".valuestream/qvs.yaml", "designPatterns: [{kustomize: ../overlay}]\n");
  }

  static async start(compiler: Compiler, password?: string): Promise<BaseRepositories> {
    const root = temporaryDirectory();
    const server = await startHttpsServer({ root, ...(password !== undefined && { password }) });
    return new BaseRepositories(server, root, compiler);
  }

  /** Creates the repository `acme/NAME` with the tag v1. */
  create(name: string, files: Readonly<Record<string, string>>): GitFixture {
    const fixture = new GitFixture(join(this.#root, "acme", name));
    this.commit(fixture, files);
    fixture.git("tag", "v1");
    return fixture;
  }

  commit(fixture: GitFixture, files: Readonly<Record<string, string>>): string {
    for (const [path, text] of Object.entries(files)) fixture.write(path, this.#written(text));
    return fixture.commit();
  }

  /** Writes the kustomization of the application. */
  overlay(text: string): void {
    this.app.write("overlay/kustomization.yaml", this.#written(text));
  }

  get lock(): string {
    return this.shown(readFileSync(this.#lockfile, "utf8"));
  }

  /** Replaces text of the lockfile. */
  changeLock(from: string | RegExp, to: string): void {
    const text = readFileSync(this.#lockfile, "utf8");
    const changed = text.replace(from, to);
    if (changed === text) throw new Error(`the lockfile does not contain ${from}`);
    writeFileSync(this.#lockfile, changed);
  }

  get #lockfile(): string {
    return join(this.app.directory, ".valuestream/qvs.lock");
  }

  /** Returns the exit code and the output. Commits and hashes are replaced. */
  async qvs(...args: readonly string[]): Promise<string> {
    return this.run(args);
  }

  /** Runs a command on a machine without a cache. */
  async qvsOnFreshMachine(...args: readonly string[]): Promise<string> {
    return this.run(args, { QVS_CACHE: temporaryDirectory() });
  }

  async run(
    args: readonly string[],
    variables: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const env = { ...environment, ...this.server.trusted, QVS_CACHE: this.cache, ...variables };
    const run = await runHere(this.app.directory, args, this.#compiler, env);
    return this.shown(`${run.code}\n${run.stdout}${run.stderr}`);
  }

  #written(text: string): string {
    return text.replaceAll("HOST", this.server.host);
  }

  shown(text: string): string {
    return text
      .replaceAll(this.server.host, "HOST")
      .replaceAll(/\b[0-9a-f]{40}\b/g, "COMMIT")
      .replaceAll(/sha256:[0-9a-f]{64}/g, "HASH");
  }
}
