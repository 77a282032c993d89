import { expectsCacheHits } from "./io/cue/cache-expectation.ts";
import { compilationsFolder } from "./world/cache-folder.ts";
import { startEngines } from "./world/start-compiler.ts";
import { whenToStart } from "./world/when-to-start.ts";

// The engine decompresses itself in its own thread while Node.js reads the rest of the program from
// another file.
const { argv, env } = process;
const hitsExpected = () => expectsCacheHits(compilationsFolder(env));
const engines = startEngines(whenToStart(argv.slice(2), hitsExpected));
const { runProgram } = await import("./cli/program.ts");
await runProgram(process, engines);
