import { InvalidArgumentError } from "commander";
import { parseRevision } from "../../inputs/parse.ts";
import { closest } from "../../model/text/suggest.ts";

/** A command in a comment on a pull request (docs/integrate/comment-commands.md). */
export type CommentCommand =
  | { readonly type: "help" }
  | { readonly type: "plan" }
  | { readonly type: "rollback"; readonly deployment: string; readonly revision: string }
  | { readonly type: "invalid"; readonly what: InvalidCommand };

export type InvalidCommand =
  | { readonly fault: "unknown"; readonly word: string; readonly suggestion: string | undefined }
  | { readonly fault: "too many words"; readonly word: string }
  | { readonly fault: "no deployment" }
  | { readonly fault: "invalid revision"; readonly word: string };

const names = ["help", "plan", "rollback"] as const;

/**
 * Returns the command in the first line of a comment; undefined if the line doesn't begin with
 * `/qvs`. A quoted command begins with `>`, so an answer to a comment isn't a command.
 */
export function parseCommand(body: string): CommentCommand | undefined {
  const [line = ""] = body.split(/\r?\n/);
  const [first, name = "help", ...words] = line.split(/[ \t]+/).filter((word) => word !== "");
  if (first !== "/qvs" || /^\s/.test(line)) return undefined;
  switch (name) {
    case "help":
    case "plan":
      return words[0] === undefined ? { type: name } : tooManyWords(words[0]);
    case "rollback":
      return parseRollback(words);
    default:
      return invalid({ fault: "unknown", word: name, suggestion: closest(name, names) });
  }
}

function parseRollback([deployment, revision = "previous", extra]: readonly string[]) {
  if (deployment === undefined) return invalid({ fault: "no deployment" });
  if (extra !== undefined) return tooManyWords(extra);
  try {
    return { type: "rollback", deployment, revision: `${parseRevision(revision)}` } as const;
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    return invalid({ fault: "invalid revision", word: revision });
  }
}

function tooManyWords(word: string): CommentCommand {
  return invalid({ fault: "too many words", word });
}

function invalid(what: InvalidCommand): CommentCommand {
  return { type: "invalid", what };
}
