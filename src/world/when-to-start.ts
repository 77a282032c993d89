/**
 * When the engine of `qvs` starts: at once, beside everything else that a start takes, unless it is probably not needed. It starts with the
 * first request then, and a wrong guess costs what it would have taken at once. `hitsExpected`: the last run found in the cache all that it asked for.
 */
export function whenToStart(
  words: readonly string[],
  hitsExpected: () => boolean,
): "now" | "when asked" {
  const [command = ""] = words;
  if (compilingNothing.has(command)) return "when asked";
  const mayBeCached = asksCache.has(command) && !words.some((word) => pastCache.test(word));
  return mayBeCached && hitsExpected() ? "when asked" : "now";
}

const compilingNothing: ReadonlySet<string> = new Set([
  ...[
    "__complete",
    "completion",
    "drift",
    "get",
    "help",
    "init",
    "reconcile",
    "releases",
    "status",
  ],
]);

const asksCache: ReadonlySet<string> = new Set(["compile", "diff"]);

/** Nothing is kept of params of the command line. */
const pastCache = /^--(?:no-cache|param(?:=.*)?)$/;
