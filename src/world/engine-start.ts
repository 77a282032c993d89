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
