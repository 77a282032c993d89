#!/usr/bin/env node
import { startCompiler } from "./world.ts";

// The engine unpacks itself in its own thread while the rest of the program is still being read.
const compiler = startCompiler();
const { runCli } = await import("./cli/run.ts");
process.exitCode = await runCli(process.argv, compiler);
