#!/usr/bin/env node
import { compilationsFolder } from "./cache-folder.ts";
import { expectsAnswers } from "./io/cue/expected-answers.ts";
import { requireNode } from "./require-node.ts";
import { startEngines } from "./start-engines.ts";

requireNode(process);
// The engine unpacks itself in its own thread while the rest of the program, in a file of its own, is still being read.
const { argv, env } = process;
const shows = argv[2] === "compile" || argv[2] === "diff";
const cached = shows && expectsAnswers(compilationsFolder(env));
const engines = startEngines(cached ? "when asked" : "now");
const { runProgram } = await import("./cli/program.ts");
await runProgram(process, engines);
