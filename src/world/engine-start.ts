import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { EngineStart } from "../io/cue/pool.ts";

/**
 * Decides when the CUE engine starts.
 * It starts immediately, in parallel with the rest of the startup, unless qvs probably doesn't need
 * it. In that case, it starts with the first request. A wrong guess costs the time that an
 * immediate start would have taken.
 * `hitsExpected` reports whether the last run found all its requests in the cache, and
 * `usesAdapters` whether a config uses an adapter.
 */
export function engineStart(
  words: readonly string[],
  hitsExpected: () => boolean,
  usesAdapters: () => boolean,
): EngineStart {
  const [command = "help"] = words;
  if (commandsWithoutCompilation.has(command) || words.some((word) => infoFlags.has(word)))
    return "when asked";
  const mayBeCached =
    cachedCommands.has(command) && !words.some((word) => cacheBypassFlags.test(word));
  if (mayBeCached && hitsExpected()) return "when asked";
  return usesAdapters() ? "now" : "without engine";
}

/** Flags that print a text instead of running a command. */
const infoFlags: ReadonlySet<string> = new Set(["-h", "--help", "-V", "--version"]);

const commandsWithoutCompilation: ReadonlySet<string> = new Set([
  ...[
    "__complete",
    "completion",
    "drift",
    "get",
    "help",
    "init",
    "outdated",
    "reconcile",
    "releases",
    "status",
  ],
]);

const cachedCommands: ReadonlySet<string> = new Set(["compile", "diff"]);

/**
 * Flags that bypass the cache. qvs doesn't cache compilations with params from the command line.
 */
const cacheBypassFlags = /^--(?:no-cache|param(?:=.*)?)$/;

/** The directory of native engines in the program's package or clone. */
const own = fileURLToPath(
  import.meta.url.endsWith(".ts")
    ? new URL("../../native/", import.meta.url)
    : new URL("../native/", import.meta.url),
);

/** The directory of the program's package or clone. */
const root = dirname(own);

/** The name of the program of an engine, in its package and in a clone. */
const program = "qvs-engine";

/** Returns the npm package of the native engine for a machine, in the terms of Node.js. */
export function enginePackage(platform: string, arch: string): string {
  return `qvs-action-${platform}-${arch}`;
}

/** Selects the machine and the place of the program. The defaults are the running ones. */
interface EngineLookup {
  readonly directory?: string;
  readonly platform?: string;
  readonly arch?: string;
}

/**
 * Returns the path of the native engine for this machine. Returns undefined if there is none, or if
 * QVS_ENGINE is `wasm`.
 * qvs looks only in its own package or clone, and in the packages that npm installs with it. It
 * never looks in the directory where it runs, which others can write to.
 */
export function nativeEngine(
  env: NodeJS.ProcessEnv,
  { directory = root, platform = process.platform, arch = process.arch }: EngineLookup = {},
): string | undefined {
  if (env["QVS_ENGINE"] === "wasm") return undefined;
  const installed = enginePackage(platform, arch);
  const parent = dirname(directory);
  const places = [
    join(directory, "native", `${platform}-${arch}`),
    join(directory, "node_modules", installed),
    ...(basename(parent) === "node_modules" ? [join(parent, installed)] : []),
  ];
  return places.map((place) => join(place, program)).find((path) => existsSync(path));
}
