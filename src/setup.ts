import { fileURLToPath } from "node:url";
import { installLauncher } from "./action/install-launcher.ts";

const isSource = import.meta.url.endsWith(".ts");
const program = new URL(isSource ? "./cli.ts" : "./cli.js", import.meta.url);
installLauncher(process.env, process.execPath, fileURLToPath(program));
