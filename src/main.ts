import { startEngines } from "./world/start-compiler.ts";

// The engine unpacks itself in its own thread while the rest of the program, in a file of its own, is still being read.
const engines = startEngines();
// The library for GitHub's API parses the event as soon as it is loaded, and would end the program where that fails. We read it ourselves.
const env = { ...process.env };
delete process.env.GITHUB_EVENT_PATH;
const { runProgram } = await import("./action/program.ts");
await runProgram(env, engines);
