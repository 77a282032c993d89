import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Runs the shell blocks of README at HEAD with an empty home directory, like a new user, and prints
 * how long each takes. The first one makes the clone. The demo runs once and removes its objects.
 * `--all` also runs all tests. Go uses the caches of this machine unless `--without-caches` is
 * given.
 */
const root = join(import.meta.dirname, "..");
const flags = new Set(process.argv.slice(2));
const home = mkdtempSync(join(tmpdir(), "first-commands-"));
const clone = join(home, "qvs");
const readme = execFileSync("git", ["-C", root, "show", "HEAD:README.md"], { encoding: "utf8" });
const commands = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = ""]) => text.trim());
const isTests = (command: string) => command.endsWith("npm test");

const caches = ["GOCACHE", "GOMODCACHE"];
const others = ["GOPATH", "QVS_CACHE", "npm_config_cache"];
const goEnv = (name: string) => execFileSync("go", ["env", name]).toString().trim();
const env: NodeJS.ProcessEnv = {
  ...process.env,
  ...Object.fromEntries(caches.map((name) => [name, goEnv(name)])),
  // Go makes modules read-only, and then only root can remove them.
  GOFLAGS: `${process.env["GOFLAGS"] ?? ""} -modcacherw`.trim(),
  HOME: home,
  XDG_CACHE_HOME: join(home, "cache"),
  npm_config_prefix: join(home, "npm"),
};
for (const name of [...others, ...(flags.has("--without-caches") ? caches : [])]) delete env[name];
const failed = commands
  .filter((command) => flags.has("--all") || !isTests(command))
  .filter((command) => !passes(command.replace(/npm run demo$/m, "npm run demo -- --once")));
const qvs = join(home, "npm/bin/qvs");
if (!existsSync(qvs) || !passes(`${qvs} --version`)) failed.push("qvs --version");
rmSync(home, { recursive: true, force: true, maxRetries: 3 });
for (const command of failed) console.error(`failed: ${command}`);
process.exitCode = failed.length === 0 ? 0 : 1;

function passes(command: string): boolean {
  console.log(`$ ${command}`);
  const began = performance.now();
  const cwd = command.startsWith("git clone ") ? home : clone;
  const here = command.replace("REPOSITORY", root);
  const { status } = spawnSync("bash", ["-euc", here], { cwd, env, stdio: "inherit" });
  console.log(`took ${Math.round((performance.now() - began) / 1000)} s, exit code ${status}`);
  return status === 0;
}
