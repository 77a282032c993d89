import { expectsCacheHits } from "./io/cue/cache-expectation.ts";
import { compilationsFolder } from "./world/cache-folder.ts";
import { startEngines } from "./world/start-compiler.ts";

// The engine unpacks itself in its own thread while the rest of the program, in a file of its own, is still being read.
const { argv, env } = process;
const shows = argv[2] === "compile" || argv[2] === "diff";
const cached = shows && expectsCacheHits(compilationsFolder(env));
const compilesNothing = [
  "__complete",
  "completion",
  "drift",
  "get",
  "help",
  "init",
  "reconcile",
  "releases",
  "status",
].includes(argv[2] ?? "");
const engines = startEngines(cached || compilesNothing ? "when asked" : "now");
const { runProgram } = await import("./cli/program.ts");
await runProgram(process, engines);
