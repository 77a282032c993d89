import { compilerOver } from "./io/cue/compiler.ts";

import type { Compiler } from "./ports.ts";
import { startEngines } from "./start-engines.ts";

/** A compiler that believes in no earlier run. */
export function startCompiler(): Compiler {
  return compilerOver(startEngines(), {});
}
