import { expectsCacheHits } from "./io/cue/cache-expectation.ts";
import { mayUseAdapters } from "./world/adapter-use.ts";
import { compilationsDirectory } from "./world/cache-directory.ts";
import { engineStart, nativeEngine } from "./world/engine-start.ts";
import { startEngines } from "./world/start-compiler.ts";

// The engine decompresses itself in its own thread while Node.js reads the rest of the program from
// another file.
const { argv, env } = process;
const hitsExpected = () => expectsCacheHits(compilationsDirectory(env));
const words = argv.slice(2);
const start = engineStart(words, hitsExpected, () => mayUseAdapters(words, process.cwd()));
const engines = startEngines(env, start, nativeEngine(env));
const { runProgram } = await import("./cli/program/program.ts");
await runProgram(process, engines);
