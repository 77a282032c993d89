#!/usr/bin/env node
import { startCompiler } from "./world.ts";

// The engine unpacks itself in its own thread while the rest of the program is still being read.
const compiler = startCompiler();
const { runCli } = await import("./cli/run.ts");
const { interruptible } = await import("./cli/interrupt.ts");
const { outliveReaders } = await import("./cli/shell.ts");
outliveReaders(process);
const interrupt = interruptible(process);
process.exitCode = await runCli(process, compiler, interrupt.signal);
interrupt.stop();
await compiler.close();
