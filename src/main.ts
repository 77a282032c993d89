import { requireNode } from "./require-node.ts";
import { startCompiler } from "./start-compiler.ts";

requireNode(process);
// The engine unpacks itself in its own thread while the rest of the program, in a file of its own, is still being read.
const compiler = startCompiler();
const { runProgram } = await import("./action/program.ts");
await runProgram(process.env, compiler);
