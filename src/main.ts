import { startEngines } from "./world/start-compiler.ts";

// The engine unpacks itself in its own thread while the rest of the program, in a file of its own, is still being read.
const engines = startEngines();
const { runProgram } = await import("./action/program.ts");
await runProgram(process.env, engines);
