import { startEngines } from "./world/start-compiler.ts";

// The engine decompresses itself in its own thread while Node.js reads the rest of the program from
// another file.
const engines = startEngines(process.env);
// @actions/github parses the event file when it is loaded, and a parse error would end the program.
// qvs reads the file itself.
const env = { ...process.env };
delete process.env.GITHUB_EVENT_PATH;
const { runProgram } = await import("./action/program.ts");
await runProgram(env, engines);
