import type { ProblemCode } from "../../model/problems/problem-codes.ts";
import { closest, didYouMean } from "../../model/text/closest.ts";
import type { CueProblem } from "../../ports/cue.ts";
import { demandOf, typeInWords } from "./constraint-words.ts";
import { explainEmbed } from "./embed-words.ts";
import { explainExpected } from "./syntax-words.ts";

/** A CUE message in words for users who don't know CUE's source, as the rest of a sentence. */
export interface ExplainedMessage {
  /** Undefined if the message is unknown. */
  readonly code: ProblemCode | undefined;
  readonly what: string;
  /** Set if the message itself shows the fix. */
  readonly fix: string | undefined;
}

/** Explains a CUE message, or returns it unchanged. `known` contains names to suggest. */
export function explainMessage(message: string, known: readonly string[] = []): ExplainedMessage {
  for (const [pattern, say] of rules) {
    const match = pattern.exec(message);
    if (match !== null)
      return say(
        match.slice(1).map((group) => group ?? ""),
        known,
      );
  }
  return { code: undefined, what: message, fix: undefined };
}

/** Reports whether loading failed because the package doesn't exist. */
export function isPackageMissing({ message }: Pick<CueProblem, "message">): boolean {
  return message.startsWith("cannot find package");
}

export function isStructuralCycle({ message }: Pick<CueProblem, "message">): boolean {
  return message.includes("structural cycle");
}

/**
 * Returns the type of a value that isn't set yet, such as `string` or `(int|bool)`. Returns
 * undefined for any other error, and for a longer type.
 */
export function incompleteType({ message }: Pick<CueProblem, "message">): string | undefined {
  return /^incomplete value ([\w()|]+)$/.exec(message)?.[1];
}

type Rule = readonly [
  RegExp,
  (groups: readonly string[], known: readonly string[]) => ExplainedMessage,
];

const rules: readonly Rule[] = [
  [/^undefined field: (.+)$/, ([name = ""], known) => noField(name, known)],
  [/^reference "(.+)" not found$/, ([name = ""], known) => nothingCalled(name, known)],
  [
    /^cannot reference optional field: (.+)$/,
    ([name]) => ({
      code: "incomplete-value",
      what: `the optional field "${name}" has no value`,
      fix: `Give it a value, or ask for it first in the adapter: \`if ….${name} != _|_\``,
    }),
  ],
  [
    /^cannot call non-function ([a-z]\w*)\.(\w+) \(type _\|_\)$/,
    ([of, name]) => ({
      code: "reference-not-found",
      what: `the package "${of}" has no function "${name}"`,
      fix: `Correct the name: pkg.go.dev/cuelang.org/go/pkg/${of} lists the functions`,
    }),
  ],
  [
    /^builtin package "(.+)" undefined$/,
    ([name = ""]) => ({
      code: "reference-not-found",
      what: `CUE has no package "${name}"${didYouMean(name, standardPackages)}`,
      fix: "Correct the import; packages of modules begin with a domain",
    }),
  ],
  [
    /^imported and not used: "([^"]+)"/,
    ([name]) => ({
      code: "invalid-cue",
      what: `"${name}" is imported and not used`,
      fix: "Remove the import",
    }),
  ],
  [
    /^(?:import failed: )*packages import each other: (.+)$/,
    ([cycle]) => ({
      code: "invalid-cue",
      what: `packages import each other: ${cycle}`,
      fix: "Move what both of them need into a package of its own",
    }),
  ],
  [
    /^builtin "(\w+)" is not available in version (\S+); it was added in version "(.+)"$/,
    ([name, declared, since]) => ({
      code: "cue-version-too-old",
      what: `"${name}" is known since CUE ${since}, and the module declares ${declared}`,
      fix: `Raise language.version in the module's cue.mod/module.cue to "${since}"`,
    }),
  ],
  [/^((?:@embed: |cannot embed ").+)$/s, ([message = ""]) => explainEmbed(message)],
  [
    /^string literal not terminated$/,
    () => ({
      code: "invalid-cue",
      what: "a text begins here, and nothing closes it on this line",
      fix: "Close it with the quotation mark that it begins with",
    }),
  ],
  [
    /^expected '([)\]}])', found 'EOF'$/,
    ([bracket]) => ({
      code: "invalid-cue",
      what: "the file ends here, and a bracket is still open",
      fix: `Close it with ${bracket}`,
    }),
  ],
  [
    /^missing ',' /,
    () => ({
      code: "invalid-cue",
      what: "a comma or the end of the line is missing here",
      fix: "Separate fields with commas or line ends, and put a colon between name and value",
    }),
  ],
  [
    /^expected (.+?), found (.+)$/s,
    ([expected = "", found = ""]) => ({
      code: "invalid-cue",
      ...explainExpected(expected, found),
    }),
  ],
  [
    /^invalid operand (.+) \('(&&|\|\|)' requires concrete value\)$/s,
    ([operand, sign = ""]) => ({
      code: "invalid-cue",
      what: `${sign} is for true and false, and ${operand} is a type`,
      fix: `Write ${sign.slice(1)} for a value that has to be ${sign === "&&" ? "both" : "one of the two"}`,
    }),
  ],
  [
    /^illegal UTF-8 encoding$/,
    () => ({
      code: "not-utf-8",
      what: "this file is not text in UTF-8",
      fix: "Save it with the encoding UTF-8",
    }),
  ],
  [
    /^cycle with field: (.+)$/,
    ([field]) => ({
      code: "evaluation-cycle",
      what: `${field} depends on itself`,
      fix: "Compute it from something else",
    }),
  ],
  [
    /^structural cycle$/,
    () => ({
      code: "evaluation-cycle",
      what: "a struct contains itself without end",
      fix: "Make the field that contains it optional, or give it another value",
    }),
  ],
  [
    /^index out of range \[(\d+)\] with length (\d+)$/,
    ([index, length]) => ({
      code: "evaluation-failed",
      what: `there is no item [${index}]: the list has ${length}, and the first is [0]`,
      fix: undefined,
    }),
  ],
  [
    /^invalid operands (.*) and (.*) to '(.+)' \(type (.+) and (.+)\)$/s,
    ([left, right, sign, one = "", other = ""]) => ({
      code: "evaluation-failed",
      what: `${left} ${sign} ${right} cannot be computed: the first is ${typeInWords(one)}, the second ${typeInWords(other)}`,
      fix: 'Make both of one type: "\\(…)" makes text of anything',
    }),
  ],
  [
    /^invalid operands to '(.+)' \(type (.+) and (.+)\)$/,
    ([sign, one = "", other = ""]) => ({
      code: "evaluation-failed",
      what: `"${sign}" cannot be computed of ${typeInWords(one)} and ${typeInWords(other)}`,
      fix: 'Make both of one type: "\\(…)" makes text of anything',
    }),
  ],
  [
    /^error in call to (?:[\w/]+\/)?([\w.]+)(?:: (.*))?$/s,
    ([name, reason = ""]) => {
      const own = reason.replace(`${name}: `, "").replace(/^[:\s]+/, "");
      const what = `${name} has no result`;
      return {
        code: "evaluation-failed",
        what: own === "" ? what : `${what}: ${own}`,
        fix: undefined,
      };
    },
  ],
  [
    /^invalid value (.*?) \((?:out of bound|does not satisfy) (.*?)\)(?:: (.*))?$/s,
    ([value, rule = ""]) => ({
      code: "conflicting-values",
      what: `${value} must ${demandOf([rule])}`,
      fix: undefined,
    }),
  ],
];

function noField(name: string, known: readonly string[]): ExplainedMessage {
  const meant = closest(
    name,
    known.filter((each) => each !== name),
  );
  return {
    code: "reference-not-found",
    what: `there is no field "${name}"`,
    fix:
      meant === undefined ? "Declare the field, or correct the name" : `Did you mean "${meant}"?`,
  };
}

function nothingCalled(name: string, known: readonly string[]): ExplainedMessage {
  const path = standardPackages.find((each) => each === name || each.endsWith(`/${name}`));
  if (path !== undefined) {
    return {
      code: "reference-not-found",
      what: `the package "${name}" is used, and not imported`,
      fix: `Write \`import "${path}"\` below the package clause`,
    };
  }
  const misspelt = wordsOfAdapters.includes(name) ? closest(name, others(known)) : undefined;
  if (misspelt !== undefined && !known.includes(name)) {
    return {
      code: "evaluation-failed",
      what: `nothing is called "${name}" here, only "${misspelt}"`,
      fix: `Rename "${misspelt}" to "${name}"`,
    };
  }
  const names = [...known, ...wordsOfAdapters].filter((each) => each !== name);
  const meant = /^param/.test(name) ? "parameters" : closest(name, names);
  return {
    code: "reference-not-found",
    what: `nothing is called "${name}" here`,
    fix: meant === undefined ? "Declare it, or correct the name" : `Did you mean "${meant}"?`,
  };
}

/** Returns the names that aren't fields of an adapter. */
function others(known: readonly string[]): readonly string[] {
  return known.filter((each) => !wordsOfAdapters.includes(each));
}

/** The fields of an adapter (docs/reference/adapters.md#fields). */
const wordsOfAdapters = ["parameters", "resources", "composites", "defer", "group"];

/** CUE's standard packages (cuelang.org/go/pkg). */
const standardPackages: readonly string[] = [
  ...[
    "crypto/ed25519",
    "crypto/hmac",
    "crypto/md5",
    "crypto/sha1",
    "crypto/sha256",
    "crypto/sha512",
  ],
  ...["encoding/base64", "encoding/csv", "encoding/hex", "encoding/json", "encoding/openapi"],
  ...[
    "encoding/toml",
    "encoding/yaml",
    "html",
    "list",
    "math",
    "math/bits",
    "net",
    "path",
    "regexp",
  ],
  ...["strconv", "strings", "struct", "text/tabwriter", "text/template", "time", "uuid"],
];
