import { readFileSync } from "node:fs";
import * as v from "valibot";
import { UserError } from "../../model/problems/errors.ts";
import type { Environment } from "../environment.ts";

/**
 * Reads the file at `GITHUB_EVENT_PATH` in the form of the schema. Throws a UserError for any other
 * content.
 */
export function readPayload<S extends v.GenericSchema>(
  env: Environment,
  schema: S,
): v.InferOutput<S> {
  const parsed = v.safeParse(schema, readJson(env));
  if (parsed.success) return parsed.output;
  const field = v.getDotPath(parsed.issues[0]);
  throw unusable(env, field === null ? "isn't a JSON object" : `has no valid ${field}`);
}

function readJson(env: Environment): unknown {
  const text = readText(env);
  if (text.trim() === "") throw unusable(env, "is empty");
  try {
    return JSON.parse(text);
  } catch {
    throw unusable(env, "isn't JSON");
  }
}

function readText(env: Environment): string {
  const { GITHUB_EVENT_PATH: path = "" } = env;
  if (path === "") throw unusable(env, "has no path");
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw unusable(env, "can't be read", (error as NodeJS.ErrnoException).code);
  }
}

function unusable(env: Environment, fault: string, error?: string): UserError {
  const { GITHUB_EVENT_NAME, GITHUB_EVENT_PATH: path = "" } = env;
  return new UserError([
    {
      code: "unsupported-event",
      where: [],
      what: `The file of the ${GITHUB_EVENT_NAME} event ${fault}`,
      ...(path === "" ? { why: "GITHUB_EVENT_PATH isn't set" } : {}),
      facts: [
        ...(path === "" ? [] : [{ label: "file", value: path }]),
        ...(error === undefined ? [] : [{ label: "error", value: error }]),
      ],
      fix: "Run the Action in a workflow that GitHub started for this event",
      otherwise: ["leave GITHUB_EVENT_NAME and GITHUB_EVENT_PATH as GitHub set them"],
    },
  ]);
}
