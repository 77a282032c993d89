#!/usr/bin/env node
import { isNodeNewEnough } from "./world/require-node.ts";

// It imports nothing from Node.js, and is built for one of 2018: an older one must get as far as the sentence that names it.
if (isNodeNewEnough(process)) void import("./command.ts");
