#!/usr/bin/env node
import { requireNode } from "./world/require-node.ts";

// This file imports nothing from Node.js and is built for a release of 2018. An older Node.js must
// at least reach the message that names the required version.
if (requireNode(process)) void import("./command.ts");
