import { readFileSync } from "node:fs";
import * as v from "valibot";
import { userError } from "../../model/problems/errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

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
  throw unusable(env, field === null ? "is no JSON object" : `has no valid ${field}`);
}

function readJson(env: Environment): unknown {
  const text = readText(env);
  if (text.trim() === "") throw unusable(env, "is empty");
  try {
    return JSON.parse(text);
  } catch {
    throw unusable(env, "is not JSON");
  }
}

function readText(env: Environment): string {
  const { GITHUB_EVENT_PATH: path = "" } = env;
  if (path === "") throw unusable(env, "is not there: GITHUB_EVENT_PATH is not set");
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw unusable(env, `can't be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

function unusable({ GITHUB_EVENT_NAME, GITHUB_EVENT_PATH: path = "" }: Environment, why: string) {
  const file = path === "" ? "The file" : `The file ${path}`;
  return userError(
    "unsupported-event",
    `${file} that tells of the ${GITHUB_EVENT_NAME} event ${why}`,
    "Run the action in a workflow that GitHub started for this event, and leave GITHUB_EVENT_NAME and GITHUB_EVENT_PATH as GitHub has set them",
  );
}
