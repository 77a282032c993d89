import { setFailed } from "@actions/core";
import { runAction } from "./action/run.ts";
import { startCompiler } from "./world.ts";

// The engine unpacks itself in its own thread while the event and the inputs are read.
const compiler = startCompiler();
try {
  await runAction(process.env, compiler);
} catch (error) {
  setFailed(error instanceof Error ? `A bug in qvs: ${error.stack}` : String(error));
} finally {
  await compiler.close();
}
