import { execFileSync } from "node:child_process";
import { verify } from "./verification.ts";

/**
 * `node scripts/verify-on-github.ts OWNER/REPO PULL_REQUEST DEPLOYMENT` reads a scratch repository
 * with `gh` and prints which facts of docs/project/verification.md it shows. It changes nothing.
 */
const [repository = "", pullRequest = "", deployment = ""] = process.argv.slice(2);
if (deployment === "") throw new Error("Arguments: OWNER/REPO PULL_REQUEST DEPLOYMENT");

function ask(path: string): unknown {
  try {
    return JSON.parse(execFileSync("gh", ["api", path], { encoding: "utf8" }));
  } catch {
    return undefined;
  }
}

const results = verify({ repository, pullRequest, deployment }, ask);
for (const { verification, result } of results) {
  console.log(`${result.padEnd(11)}  ${verification.fact}`);
  if (result !== "passed") console.log(`             ${verification.prepare}`);
}
if (results.some(({ result }) => result !== "passed")) process.exitCode = 1;
